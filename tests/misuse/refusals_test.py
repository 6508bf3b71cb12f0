#!/usr/bin/env python3
"""What is refused is refused where the user wrote it, with a first error that names the rule.

usage: refusals_test.py SOURCE_FOLDER INCLUDE_FOLDER...
"""

import pathlib
import re
import sys
import unittest

import misuse

SOURCE = pathlib.Path(sys.argv.pop(1))
FOLDERS = sys.argv[1:]
del sys.argv[1:]
HERE = SOURCE / "tests" / "misuse"

# Each case of refused.cpp and a word of its rule, as it stands in the name of a concept or in the
# text of an assertion.
CALLABLE = r"task_function|callable|invocable"
MOVABLE = r"movable|move_constructible"
INDEX = r"loop_index|integral|index"
BODY = r"loop_body|body|invocable"
ASSIGNED = r"replaceable_by_a_sum"
COMBINE = r"combine|combin|invocable|convertible"
RULES = {
    "fork_join_of_a_number": CALLABLE,
    "fork_join_of_a_second_number": CALLABLE,
    "fork_join_of_a_function_with_a_parameter": CALLABLE,
    "spawn_of_a_text": CALLABLE,
    "spawn_of_a_coroutine": "begins_no_coroutine",
    "async_of_a_coroutine": "begins_no_coroutine",
    "then_of_a_coroutine": "takes_the_result",
    "loop_of_a_coroutine": "begins_no_coroutine",
    "node_of_a_coroutine": "begins_no_coroutine",
    "invoke_of_a_coroutine": "runs_when_invoked",
    "spawn_of_a_function_with_a_parameter": CALLABLE,
    "spawn_of_an_immovable": MOVABLE + "|constructible|" + CALLABLE,
    "async_of_a_number": CALLABLE,
    "async_of_an_immovable": MOVABLE + "|constructible|" + CALLABLE,
    "async_with_an_immovable_result": MOVABLE + "|" + CALLABLE,
    "run_of_a_pointer_to_data": CALLABLE,
    "run_with_a_limit_of_a_function_with_a_parameter": "callable_with_a_token_or_nothing",
    "blocking_with_an_argument": CALLABLE,
    "loop_whose_body_takes_nothing": BODY,
    "loop_whose_body_takes_a_text": BODY,
    "loop_whose_body_changes_itself": BODY,
    "loop_over_floating_indices": INDEX,
    "loop_over_pointers": INDEX,
    "reduce_over_floating_indices": INDEX,
    "reduce_whose_body_gives_nothing": BODY,
    "reduce_whose_combine_takes_one": COMBINE,
    "reduce_whose_combine_takes_texts": COMBINE,
    "reduce_whose_combine_gives_nothing": COMBINE,
    "copy_of_a_future": r"deleted|future",
    "copy_of_a_group": r"deleted",
    "copy_of_a_runtime": r"deleted",
    "number_as_a_runtime": r"explicit|conversion",
    "local_values_made_by_a_text": r"makes_the_value",
    "local_values_of_another_type": r"makes_the_value",
    "local_values_combined_by_one": r"adds_a_value",
    "local_values_that_cannot_be_copied_combined": r"adds_a_value",
    "copy_of_local_values": r"deleted",
    "await_of_a_number": r"can_be_awaited",
    "await_of_a_task_with_a_name": r"can_be_awaited",
    "coroutine_with_another_result": r"gives_the_result",
    "copy_of_a_task": r"deleted|task",
    "sender_for_a_number": r"receives_a_schedule",
    "when_all_of_a_number": r"future|task|when_all",
    "coroutine_started_from_a_function": r"task|start",
    "elements_whose_body_takes_a_text": r"callable_with_the_element",
    "elements_of_a_list_by_number": r"random_access",
    "fed_loop_whose_body_takes_nothing": r"callable_with_each_element",
    "loop_with_a_token_whose_body_takes_a_text": r"callable_with_the_index",
    "elements_summed_up_in_an_int": r"gives_the_value_of_an_element|summed_without_narrowing",
    "search_whose_predicate_gives_nothing": r"tells_of_an_element",
    "scan_whose_sum_takes_one": COMBINE,
    "sort_by_a_comparison_of_texts": r"compare|order|predicate|sort",
    "node_of_a_function_with_a_parameter": r"runs_as_a_node",
    "node_that_gives_a_reference": r"gives_an_object_or_nothing",
    "node_given_a_value_of_another_type": r"takes_the_values_of_the_nodes",
    "node_given_too_few_values": r"takes_the_values_of_the_nodes",
    "node_that_looks_at_what_it_takes": r"takes_the_values_of_the_nodes",
    "node_given_what_gives_nothing": r"node_that_gives_a_value",
    "pipeline_whose_input_has_a_parameter": r"gives_an_optional",
    "pipeline_without_stages": r"at_least_one_stage",
    "pipeline_whose_input_is_a_stage": r"gives_an_optional",
    "pipeline_whose_input_gives_no_optional": r"gives_an_optional",
    "pipeline_of_functions_without_modes": r"made_by_parallel_or_serial",
    "pipeline_whose_stage_takes_a_text": r"each_stage_takes_what_the_one_before_gives",
    "pipeline_whose_stage_takes_nothing": r"each_stage_takes_what_the_one_before_gives",
    "pipeline_whose_middle_stage_gives_nothing": r"each_stage_takes_what_the_one_before_gives",
    "pipeline_whose_stage_gives_an_immovable": r"each_stage_takes_what_the_one_before_gives",
    "pipeline_whose_stage_is_a_coroutine": r"each_stage_takes_what_the_one_before_gives",
    "pipeline_whose_input_is_a_coroutine": r"begins_no_coroutine|gives_an_optional",
    "pipeline_in_a_runtime_whose_stage_takes_a_text": r"each_stage_takes_what_the_one_before_gives",
    "stage_of_an_immovable": r"movable_into_a_stage",
    "filter_whose_body_takes_a_text": r"takes_the_input_and_gives_the_output",
    "filter_whose_body_gives_a_text": r"takes_the_input_and_gives_the_output",
    "filter_whose_types_are_unknown": r"filter_with_types_of_its_own",
    "reduce_of_what_cannot_be_assigned": ASSIGNED,
    "reduce_of_elements_that_cannot_be_assigned": ASSIGNED,
    "deterministic_reduce_of_what_cannot_be_assigned": ASSIGNED,
    "stoppable_reduce_of_what_cannot_be_assigned": ASSIGNED,
    "standard_reduce_of_what_cannot_be_assigned": ASSIGNED,
    "balanced_reduce_of_what_cannot_be_assigned": ASSIGNED,
    "local_values_that_cannot_be_assigned_combined": ASSIGNED,
    "balancer_of_an_unknown_name": r"oen",
    "balancer_with_the_option_of_another": r"iterations",
    "balancer_that_is_a_transmission": r"balancer_choice|names_a_balancer|runtime_options",
    "transmission_that_is_a_balancer": r"transmission_choice|use_balancer",
    "batch_that_is_a_fraction": r"narrow",
}

# Objects of a class that is [[nodiscard]]: g++ 12 warns of one that a function returns, and of no other.
UNNAMED = {"region_without_a_name", "hot_phase_without_a_name", "scope_without_a_name"}

CONSTRAINED = """
#line 1 "wrong_at_once"
template <typename F> concept task_function = requires(F f) { f(); };
template <task_function F> void call(F f) { f(); }
#line 1 "refused_by_a_concept"
void a() { call(1); }
#line 1 "wrong_deep_inside"
template <typename F> void inner(F f) { f(); }
template <typename F> void outer(F f) { inner(f); }
#line 1 "refused_by_nobody"
void b() { outer(1); }
"""


def rule_named(block, rule):
    """Whether the rule is named in the compiler's own words, not in the quoted source."""
    said = [line for line in block.splitlines() if re.search(r"(error|note|required)\b", line)]
    said += [line for line in block.splitlines() if "evaluated to false" in line or "is invalid" in line]
    return bool(re.search(rule, "\n".join(said)))


def first_error_of(case, blocks):
    for block in blocks:
        if re.search(rf"\b{case}:\d+", block):
            return block
    return None


class Refusals(unittest.TestCase):
    def test_every_case_has_a_rule(self):
        names = re.findall(r'^#line 1 "(\w+)"', (HERE / "refused.cpp").read_text(encoding="utf-8"), re.M)
        self.assertEqual(sorted(names), sorted(RULES))

    def test_a_missing_rule_is_found(self):
        for compiler in misuse.COMPILERS:
            with self.subTest(compiler=compiler):
                blocks = misuse.blocks_of_errors(misuse.compile(compiler, CONSTRAINED, [])[1])
                by_concept = first_error_of("refused_by_a_concept", blocks)
                self.assertTrue(rule_named(by_concept, CALLABLE), by_concept)
                self.assertEqual(misuse.place_of_error(by_concept), "refused_by_a_concept")
                by_nobody = first_error_of("refused_by_nobody", blocks)
                self.assertFalse(rule_named(by_nobody, CALLABLE), by_nobody)
                self.assertEqual(misuse.place_of_error(by_nobody), "wrong_deep_inside")

    def test_what_is_near_it_is_allowed(self):
        for compiler in misuse.COMPILERS:
            with self.subTest(compiler=compiler):
                status, said = misuse.compile(compiler, HERE / "allowed.cpp", FOLDERS)
                self.assertEqual(status, 0, "\n".join(misuse.blocks_of_errors(said)[:3]))

    def check_warnings(self, file, words, *flags):
        names = re.findall(r'^#line 1 "(\w+)"', (HERE / file).read_text(encoding="utf-8"), re.M)
        self.assertTrue(names)
        for compiler in misuse.COMPILERS:
            status, said = misuse.compile(compiler, HERE / file, FOLDERS, *flags)
            self.assertEqual(status, 0, said)
            for case in names:
                if compiler == "g++" and case in UNNAMED:
                    continue
                with self.subTest(compiler=compiler, case=case):
                    self.assertRegex(said, rf"(?m)^{case}:\d+:.* warning: .*{words}")

    def test_what_must_not_be_dropped_is_warned_of(self):
        self.check_warnings("dropped.cpp", "(nodiscard|unused)")

    def test_former_spellings_are_warned_of_if_the_program_asks(self):
        self.check_warnings("former.cpp", "use (parallel_|trace_|std::move)", "-DEVENCUBE_WARN_OF_FORMER")
        for compiler in misuse.COMPILERS:
            with self.subTest(compiler=compiler):
                status, said = misuse.compile(compiler, HERE / "former.cpp", FOLDERS, "-Werror")
                self.assertEqual(status, 0, said)

    def test_the_first_error_names_the_rule(self):
        self.assertTrue(misuse.COMPILERS, "no compiler is here")
        for compiler in misuse.COMPILERS:
            blocks = misuse.blocks_of_errors(misuse.compile(compiler, HERE / "refused.cpp", FOLDERS)[1])
            for case, rule in RULES.items():
                with self.subTest(compiler=compiler, case=case):
                    block = first_error_of(case, blocks)
                    self.assertIsNotNone(block, "it compiles")
                    self.assertEqual(misuse.place_of_error(block), case, block)
                    self.assertTrue(rule_named(block, rule), block)


if __name__ == "__main__":
    unittest.main()
