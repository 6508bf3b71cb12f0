#pragma once

// Ten programs that wait within tasks. Each follows a report of a program that never ended with
// some library; the files say which. Each returns when it has ended.
void condition_of_a_queued_task();
void first_fork();
void full_arena();
void graph_in_a_task();
void group_of_another_thread();
void lock_over_a_loop();
void nested_futures();
void readers_and_a_writer();
void sync_wait_in_the_pool();
void table_made_once();
