#!/usr/bin/env python3
"""The check of commits passes good subjects and finds every kind of fault."""

import unittest

import commits


class CommitsTest(unittest.TestCase):
    def test_good_subjects_pass(self):
        for subject in ("runtime: refuse spawns after the workers have left", "workloads, papers: merge sources and duplicates",
                        "docs: `evencube::arena` has a page", "Merge branch 'x'"):
            self.assertEqual(list(commits.faults_of(subject)), [], subject)

    def test_every_fault_is_found(self):
        for subject, fault in (("runtime: " + "x" * 64, "73 characters"), ("Who is behind whom", "no area"),
                               ("runtime: Refuse spawns", "no area"), ("runtime: refuse spawns.", "full stop")):
            self.assertIn(fault, "\n".join(commits.faults_of(subject)), subject)


if __name__ == "__main__":
    unittest.main()
