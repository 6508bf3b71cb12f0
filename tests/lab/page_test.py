#!/usr/bin/env python3
"""Opens the page of the lab from a file in a real browser, without a screen, and uses it as a reader would.

usage: page_test.py PAGE PROGRAM                 the test; PROGRAM is evencube, which records runs, or none
       page_test.py PAGE PROGRAM --pictures DIR  writes pictures of each view instead
       page_test.py PAGE PROGRAM --docs DIR      writes those of docs/lab.md
       page_test.py PAGE PROGRAM --frames        measures how long frames take, at 4096 nodes

PROGRAM may be left out. Without it, what needs a recording is skipped.
Exit status 77 where the page was not built or no browser runs."""

import base64
import gzip
import os
import pathlib
import statistics
import sys
import tempfile
import unittest
from urllib.parse import quote

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import browser  # noqa: E402
from devtools import Page  # noqa: E402
from recorded_run import figures_of, recorded  # noqa: E402

PAGE = ""
PROGRAM = "none"
LOH = "v=time&n=mesh:4x4&ts=loh-unstable&tr=5"
FIGURE_18 = "v=cube&n=hypercube:3&l=15,1,1,1,1,1,1,1&b=dem"
# What a checker of accessibility looks at first: names, labels, unique ids, contrast of text.
FAULTS = """(() => {
  const faults = [];
  const shown = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility === "visible";
  const name = (one) => one.getAttribute("aria-label") || (one.getAttribute("aria-labelledby") || "").split(" ").map((id) =>
    document.getElementById(id)?.textContent ?? "").join("") || [...(one.labels ?? [])].map((label) => label.textContent).join("") ||
    (one.tagName === "BUTTON" || one.tagName === "SUMMARY" ? one.textContent : "");
  for (const one of document.querySelectorAll("button, input, select, textarea, summary, canvas[role=img], [role=tab]")) {
    if (shown(one) && !name(one).trim()) faults.push(`no name: ${one.outerHTML.slice(0, 90)}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map(({id}) => id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) faults.push(`id ${id} is used twice`);
  for (const one of document.querySelectorAll("[aria-labelledby], [aria-controls]")) {
    for (const id of (one.getAttribute("aria-labelledby") ?? one.getAttribute("aria-controls")).split(" ")) {
      if (!document.getElementById(id)) faults.push(`no element ${id}`);
    }
  }
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      if (getComputedStyle(at).backgroundImage !== "none") return null;
      const colour = parse(getComputedStyle(at).backgroundColor);
      if ((colour[3] ?? 1) === 1) return colour;
      if (colour[3] > 0) return null;
    }
    return [255, 255, 255];
  };
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !shown(one) || one.disabled || one.closest(".hidden, script, .skip")) continue;
    const under = ground(one);
    if (!under) continue;
    const [a, b] = [light(parse(getComputedStyle(one).color)), light(under)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(2)}: ${one.outerHTML.slice(0, 90)}`);
  }
  return faults;
})()"""


def opened(fragment, **shape):
    """The page, ready. A browser that does not start in time is started again."""
    for attempt in range(3):
        page = None
        try:
            page = Page(browser.program(), f"{pathlib.Path(PAGE).resolve().as_uri()}#{fragment}", deadline=80, **shape)
            page.until("document.body?.dataset.ready === 'true'")
            page.deadline = 240
            return page
        except BaseException as problem:
            if page:
                page.close()
            if attempt == 2 or not isinstance(problem, TimeoutError):
                raise
    raise AssertionError("not reached")


def loads(page):
    return page.ask("Array.from(evencubeLab.replay.loads)")


DROP = """(name, text) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], name));
  for (const kind of ["dragover", "drop"]) document.body.dispatchEvent(new DragEvent(kind, {dataTransfer, bubbles: true, cancelable: true}));
}"""


def faults(page):
    """What a checker of accessibility would find, once all colours have arrived."""
    page.until("document.getAnimations().length === 0")
    return page.ask(FAULTS)


def drop(page, name, content):
    """Drops a file on the page."""
    page.ask(f"({DROP})('{name}', '{base64.b64encode(content).decode()}')")


class Lab(unittest.TestCase):
    page = None

    def tearDown(self):
        self.leave()

    def open(self, fragment, **shape):
        """A page, one at a time."""
        self.leave()
        self.page = opened(fragment, **shape)
        return self.page

    def leave(self):
        page, self.page = self.page, None
        if page is not None:
            page.close()
            # Reading what was painted is for the test alone.
            self.assertEqual([line for line in page.said if "willReadFrequently" not in line], [])

    def test_steps_back_and_forth(self):
        page = self.open(FIGURE_18)
        self.assertEqual(loads(page), [15, 1, 1, 1, 1, 1, 1, 1])
        page.ask("document.getElementById('forward').click()")
        self.assertEqual(loads(page), [8, 8, 1, 1, 1, 1, 1, 1])
        page.ask("document.getElementById('last').click()")
        self.assertEqual(loads(page), [3, 3, 3, 3, 3, 3, 2, 2])
        self.assertIn("difference 1, bound 3", page.ask("document.getElementById('status').textContent"))
        page.ask("document.getElementById('back').click()")
        page.ask("document.getElementById('back').click()")
        self.assertEqual(loads(page), [8, 8, 1, 1, 1, 1, 1, 1])
        figures = page.ask("document.getElementById('figures').textContent")
        for figure in ("T_comm phased12", "T_comm overlapped10", "T_comm pipelined7", "Task-hops19"):
            self.assertIn(figure, figures)

    def test_keys_move_the_phases_and_the_tabs(self):
        page = self.open(FIGURE_18)
        page.press("ArrowRight")
        page.until("evencubeLab.replay.phase === 1")
        page.press("End")
        page.until("evencubeLab.replay.phase === 3")
        page.press("Home")
        page.until("evencubeLab.replay.phase === 0")
        page.ask("document.getElementById('speed').value = '400'")
        page.press(" ", "Space", " ")
        page.until("evencubeLab.replay.phase === 3")
        page.until("document.getElementById('play').getAttribute('aria-label') === 'Play'")
        page.ask("document.getElementById('tab-cube').focus()")
        page.press("ArrowRight")
        page.until("!document.getElementById('view-compare').hidden")
        self.assertEqual(page.ask("document.activeElement.id"), "tab-compare")

    def test_compares(self):
        page = self.open("v=compare&n=hypercube:3&l=15,1,1,1,1,1,1,1&c=dem|cwa&t=pipelined")
        page.until("document.querySelectorAll('#comparison tbody tr').length > 8")
        rows = page.ask("[...document.querySelectorAll('#comparison tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")
        self.assertIn(["T_comm, phase by phase", "12", "13"], rows)
        self.assertIn(["T_comm, pipelined", "7", "7"], rows)
        self.assertEqual(page.ask("document.querySelectorAll('#gantts canvas').length"), 4)
        page.ask("document.getElementById('add-balancer').click()")
        page.until("document.querySelectorAll('#comparison thead th').length === 4")

    def test_a_comparison_that_was_hidden_meanwhile(self):
        page = self.open("v=compare&n=hypercube:3&l=15,1,1,1,1,1,1,1&c=dem|cwa&t=pipelined")
        page.until("document.querySelectorAll('#gantts canvas').length === 4")
        page.deadline = 30
        page.ask("document.getElementById('view-compare').hidden = true")
        page.ask("document.querySelector('input[name=transmission][value=phased]').click()")
        page.ask("document.getElementById('tab-compare').click()")
        page.until("document.querySelector('#gantts canvas').clientWidth > 0")

    def test_exercises_are_solved_as_a_student_would(self):
        page = self.open("v=exercises")
        for number in range(10):
            page.ask(f"document.querySelectorAll('#exercise-list button')[{number}].click()")
            solution = page.ask(f"evencubeLab.catalogue.exercises[{number}].solution")
            page.ask("document.getElementById('answer').value = '9'")
            page.ask("document.querySelector('#exercise form').requestSubmit()")
            page.until("document.querySelector('.verdict:not(.right)')")
            page.ask(f"document.getElementById('answer').value = '{solution}'")
            page.ask("document.querySelector('#exercise form').requestSubmit()")
            page.until("document.querySelector('.verdict.right')")
            page.ask("document.getElementById('watch').click()")
            page.until("evencubeLab.state.view === 'cube' && document.getElementById('problem').hidden")
            page.ask("document.getElementById('tab-exercises').click()")
        self.assertEqual(page.ask("[...document.querySelectorAll('#exercise-list .mark')].filter((mark) => mark.textContent === '\\u2713').length"), 10)

    def test_runs_and_steps_a_simulation(self):
        page = self.open(LOH)
        page.until("evencubeLab.time.shown")
        self.assertEqual(page.ask("[evencubeLab.time.shown.events, evencubeLab.time.shown.in_system]"), [0, 1600])
        page.ask("document.getElementById('time-step').click()")
        page.until("evencubeLab.time.shown.events === 1")
        page.press("ArrowRight")
        page.until("evencubeLab.time.shown.events === 2")
        self.assertIn("After 2 events", page.ask("document.getElementById('time-status').textContent"))
        page.press("End")
        page.until("evencubeLab.time.over")
        page.until("document.getElementById('time-status').textContent.includes('is over')")
        ended = page.ask("evencubeLab.time.result")
        self.assertEqual(ended["completed"], 1600)
        self.assertEqual(page.ask("evencubeLab.time.shown.loads"), [0] * 16)
        # The same run, watched.
        page.press("Home")
        page.until("evencubeLab.time.shown?.events === 0")
        speed = "document.getElementById('sim-speed').value = '{}'; document.getElementById('sim-speed').dispatchEvent(new Event('input'))"
        page.ask(speed.format(2))
        self.assertEqual(page.ask("document.getElementById('speed-text').textContent"), "100 events per second")
        page.press(" ", "Space", " ")
        page.until("evencubeLab.time.shown.events > 20")
        page.press(" ", "Space", " ")
        page.until("document.getElementById('time-status').textContent.startsWith('After')")
        self.assertEqual(page.ask("document.getElementById('time-run').getAttribute('aria-label')"), "Run")
        at = page.ask("evencubeLab.time.shown.events")
        self.assertIn(f"&ta={at}", page.ask("location.hash"))
        loads_there = page.ask("evencubeLab.time.shown.loads")
        page.ask(speed.format(6))
        page.press(" ", "Space", " ")
        page.until("document.getElementById('time-status').textContent.includes('is over')")
        self.assertEqual(page.ask("evencubeLab.time.result.hash"), ended["hash"])
        # A link goes to the event.
        page = self.open(f"{LOH}&ta={at}")
        page.until(f"evencubeLab.time.shown?.events === {at}")
        self.assertEqual(page.ask("evencubeLab.time.shown.loads"), loads_there)

    def test_a_simulation_with_other_settings(self):
        page = self.open(LOH)
        page.until("evencubeLab.time.shown")
        page.ask("document.getElementById('scenario').value = 'mm1-array'; document.getElementById('scenario').dispatchEvent(new Event('change'))")
        page.until("evencubeLab.time.shown?.loads.length === 1024")
        self.assertTrue(page.ask("document.getElementById('sim-latency').disabled"))
        for field, value in (("sim-balancer", "oem"), ("sim-load", "0.5"), ("sim-service", "uniform:1,3"), ("sim-horizon", "40")):
            page.ask(f"document.getElementById('{field}').value = '{value}'; document.getElementById('{field}').dispatchEvent(new Event('change'))")
        page.ask("document.getElementById('time-end').click()")
        page.until("evencubeLab.time.over && document.getElementById('time-status').textContent.includes('is over')")
        self.assertAlmostEqual(page.ask("evencubeLab.time.result.utilisation"), 0.5, delta=0.1)
        self.assertGreater(page.ask("evencubeLab.time.result.rounds"), 1)
        for word in ("ts=mm1-array", "tb=oem", "tl=0.5", "th=40"):
            self.assertIn(word, page.ask("location.hash"))
        page.ask("document.getElementById('samples-details').open = true")
        page.until("document.querySelectorAll('#samples tbody tr').length > 8")
        page.ask("document.getElementById('sim-load').value = 'much'; document.getElementById('sim-load').dispatchEvent(new Event('change'))")
        page.until("document.getElementById('problem').textContent.includes('not a number')")
        page.ask("document.getElementById('sim-load').value = ''; document.getElementById('sim-load').dispatchEvent(new Event('change'))")
        page.until("document.getElementById('problem').hidden && evencubeLab.time.shown?.events === 0")

    def test_strategies_of_loh(self):
        page = self.open(LOH)
        page.ask("document.getElementById('loh-compare').click()")
        page.until("document.querySelectorAll('#loh-table tbody tr').length === 4")
        self.assertEqual(page.ask("[...document.querySelectorAll('#loh-table thead th')].map((one) => one.textContent)"),
                         ["Network", "GM", "SI", "RI", "LBC", "Pred"])

    def test_refuses_with_a_sentence_and_goes_on(self):
        for fragment, words in (("l=1,two,3", "not a whole number"), ("l=1,2", "There are 2 loads"), ("n=hypercube:30", "topology"),
                                ("n=edges:0-1,1-9999999&l=1", "."), ("b=magic", "magic"), ("o=quota=none&b=cwa", "quota"),
                                ("n=" + quote("<img src=x onerror=alert(1)>"), "img"), ("l=" + "1," * 150000, "characters"),
                                ("v=time&ts=holidays", "holidays"), ("v=time&tv=exponential:0", "exponential"), ("v=time&tx=" + "x" * 9999, "xxx"),
                                ("v=time&n=hypercube:13", "4096"), ("v=time&ta=999999999999999", ""), ("v=time&tz=9e9&tr=x&tl=1e9", "load"),
                                ("v=cube&p=99999999&n=hypercube:2&l=4,0,0,0&b=oem", "")):
            with self.subTest(fragment=fragment[:60]):
                page = self.open(fragment)
                said = page.ask("document.getElementById('problem').hidden ? '' : document.getElementById('problem').textContent")
                self.assertIn(words, said)
                self.assertEqual(bool(words), bool(said))
                # Loads that are right are planned at once.
                page.ask(f"location.hash = '#{FIGURE_18}'")
                page.until("evencubeLab.replay && evencubeLab.replay.phases === 3 && document.getElementById('problem').hidden")

    def test_a_link_of_a_megabyte_opens(self):
        page = self.open(FIGURE_18)
        page.ask("location.hash = '#l=' + '1,'.repeat(500000)")
        page.until("document.getElementById('problem').textContent.includes('at most 200000')")

    def test_what_takes_too_long_is_stopped(self):
        page = self.open(FIGURE_18)
        # A planner that does not answer: the worker is replaced by one that waits for ever.
        said = page.ask("""(async () => {
          const Planner = evencubeLab.planner.constructor;
          const stuck = new Planner("onmessage = () => { for (;;) {} };", new Uint8Array(1));
          try { await stuck.ask({ask: "catalogue"}); return "answered"; } catch (refused) { return refused.message; }
        })()""")
        self.assertIn("was stopped", said)

    def test_what_takes_too_long_to_read_is_stopped(self):
        page = self.open(FIGURE_18)
        said = page.ask("""(async () => {
          const Planner = evencubeLab.planner.constructor;
          const stuck = new Planner("onmessage = () => { for (;;) {} };", new Uint8Array(1));
          try { await stuck.open(new File(["x"], "x.trace"), {}); return "answered"; } catch (refused) { return refused.message; }
        })()""")
        self.assertIn("was stopped. Try a shorter recording.", said)

    def recording(self):
        """The file of a recording, in a folder that is removed after the test."""
        if PROGRAM == "none":
            self.skipTest("the program evencube, which records runs, was not built")
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        return recorded(PROGRAM, folder.name)

    def test_a_recording_of_a_real_run_is_replayed(self):
        file = self.recording()
        figures = figures_of(PROGRAM, file)
        page = self.open(FIGURE_18)
        shown = page.ask("location.hash")
        page.choose_file("#recording-file", file)
        page.until("evencubeLab.recording.open && evencubeLab.replay.answer.figures")
        facts = page.ask("evencubeLab.planner.ask({ask: 'recording'})")
        self.assertEqual((facts["rounds"], facts["workers"], facts["tasks"]), (figures["rounds"], 8, figures["tasks"]))
        self.assertEqual(facts["moved"], {"rounds": figures["moved_by_rounds"], "pulls": figures["moved_by_pulls"],
                                          "rescues": figures["moved_by_rescues"]})
        self.assertIn("run.trace: spin under oem, 8 workers", page.ask("document.getElementById('recording-facts').textContent"))
        rounds = page.ask("evencubeLab.planner.ask({ask: 'recording', from: 0, count: 2})")["rounds"]
        self.assertEqual(loads(page), rounds[0]["initial"])
        self.assertFalse(page.ask("evencubeLab.recording.has(-1)"))
        # Through the phases of the first round, and on to the second.
        for phase, difference in enumerate(rounds[0]["differences"]):
            self.assertEqual(page.ask("evencubeLab.replay.phase"), phase)
            self.assertIn(f"difference {difference:,}", page.ask("document.getElementById('status').textContent"))
            self.assertIn(f"Round 1 of {facts['rounds']}", page.ask("document.getElementById('status').textContent"))
            if phase == len(rounds[0]["phases"]):
                self.assertEqual(loads(page), rounds[0]["final"])
            page.press("ArrowRight")
        page.until("evencubeLab.recording.at === 1")
        self.assertEqual(loads(page), rounds[1]["initial"])
        page.press("ArrowLeft")
        page.until("evencubeLab.recording.at === 0")
        self.assertEqual(loads(page), rounds[0]["final"])
        page.press("PageDown")
        page.until("evencubeLab.recording.at === 1 && evencubeLab.replay.phase === 0")
        page.press("PageUp")
        page.until("evencubeLab.recording.at === 0 && document.getElementById('round-back').disabled")
        # The player goes on with the next round, until the last.
        last = facts["rounds"] - 1
        page.ask(f"document.getElementById('round').value = {last - 1}; document.getElementById('round').dispatchEvent(new Event('input'))")
        page.until(f"evencubeLab.recording.at === {last - 1}")
        page.ask("document.getElementById('speed').value = '400'")
        page.press(" ", "Space", " ")
        page.until(f"evencubeLab.recording.at === {last} && evencubeLab.replay.phase === evencubeLab.replay.phases")
        page.until("document.getElementById('play').getAttribute('aria-label') === 'Play'")
        self.assertEqual(loads(page), page.ask(f"evencubeLab.planner.ask({{ask: 'recording', from: {last}}})")["rounds"][0]["final"])
        self.assertTrue(page.ask("document.getElementById('forward').disabled && document.getElementById('round-forward').disabled"))
        # A link does not hold the recording. Other views are not changed by it.
        self.assertEqual(page.ask("location.hash"), shown)
        page.ask("document.getElementById('tab-compare').click()")
        page.until("document.querySelectorAll('#gantts canvas').length > 0")
        self.assertEqual(page.ask("evencubeLab.network.topology"), "hypercube:3")
        self.assertEqual(page.ask("evencubeLab.loads"), [15, 1, 1, 1, 1, 1, 1, 1])
        page.ask("document.getElementById('tab-cube').click()")
        page.until(f"evencubeLab.state.view === 'cube' && document.getElementById('status').textContent.includes('Round {last + 1} of')")

    def test_the_loads_of_a_round_are_planned_again(self):
        file = self.recording()
        page = self.open(f"{FIGURE_18}&p=2")
        page.choose_file("#recording-file", file)
        page.until("evencubeLab.recording.open && evencubeLab.replay.answer.figures")
        first = loads(page)
        page.ask("document.getElementById('replan').click()")
        page.until("!evencubeLab.replay.answer.figures")
        self.assertEqual((loads(page), page.ask("evencubeLab.state.balancer")), (first, "oem"))
        self.assertIn("l=" + ",".join(map(str, first)), page.ask("location.hash"))
        self.assertTrue(page.ask("document.getElementById('rounds').hidden && !document.getElementById('loads-section').hidden"))
        # A closed recording gives way to what the link says.
        page.choose_file("#recording-file", file)
        page.until("evencubeLab.recording.open && evencubeLab.replay.answer.figures")
        page.ask("document.getElementById('close-recording').click()")
        page.until("!evencubeLab.replay.answer.figures && !evencubeLab.recording.open")
        self.assertEqual(page.ask("document.activeElement.id"), "open-recording")
        self.assertEqual(page.ask("evencubeLab.planner.ask({ask: 'recording'}).catch(({message}) => message)"), "No recording is open.")
        page.choose_file("#recording-file", file)
        page.until("evencubeLab.recording.open && evencubeLab.replay.answer.figures")
        page.ask(f"location.hash = '#{FIGURE_18}'")
        page.until("!evencubeLab.recording.open && !evencubeLab.replay.answer.figures && evencubeLab.replay.phases === 3")
        self.assertEqual(loads(page), [15, 1, 1, 1, 1, 1, 1, 1])

    def test_a_packed_recording_is_dropped_on_any_view(self):
        content = self.recording().read_bytes()
        page = self.open(f"{FIGURE_18}&v=exercises".replace("v=cube&", ""))
        answers = []
        for name, dropped in (("run.trace", content), ("run.trace.gz", gzip.compress(content))):
            drop(page, name, dropped)
            page.until(f"evencubeLab.replay?.answer.figures && document.getElementById('recording-facts').textContent.startsWith('{name}:')")
            self.assertEqual(page.ask("evencubeLab.state.view"), "cube")
            self.assertFalse(page.ask("document.body.classList.contains('dropping')"))
            answers.append(page.ask("evencubeLab.planner.ask({ask: 'recording'})"))
        self.assertEqual(answers[0], answers[1])

    def test_broken_recordings_are_refused_with_a_sentence(self):
        content = self.recording().read_bytes()
        packed = gzip.compress(content)
        page = self.open(FIGURE_18)
        damaged = bytearray(content)
        damaged[30] ^= 1
        for dropped, words in ((b"", "too short to be a trace"), (b"some text that is long enough", "does not begin with EVCTRACE"),
                               (content[:-1], "cut"), (bytes(damaged), "does not match its checksum"), (content + b"x", "1 bytes follow the end"),
                               (packed[:-9], "packed, but it is damaged or cut"), (packed[:50] + b"xxxx" + packed[54:], "packed, but it is damaged"),
                               (gzip.compress(packed), "it is packed, and"), (gzip.compress(bytes(1 << 26)), "unpacks to more than")):
            with self.subTest(words=words):
                page.ask("evencubeLab.complain('')")
                drop(page, "bad.trace", dropped)
                page.until(f"document.getElementById('problem').textContent.includes('{words}')")
                said = page.ask("document.getElementById('problem').textContent")
                self.assertEqual((said[-1], said.count("\n")), (".", 0))
                self.assertEqual(page.ask("[evencubeLab.recording.open, evencubeLab.replay.phases]"), [False, 3])
                # The page goes on.
                page.ask("document.getElementById('forward').click()")
                self.assertEqual(loads(page), [8, 8, 1, 1, 1, 1, 1, 1])
                page.ask("document.getElementById('first').click()")
        # A recording that is shown stays.
        drop(page, "good.trace", content)
        page.until("evencubeLab.recording.open && document.getElementById('problem').hidden")
        drop(page, "bad.trace", content[:-1])
        page.until("document.getElementById('problem').textContent.includes('cut')")
        self.assertIn("good.trace:", page.ask("document.getElementById('recording-facts').textContent"))
        page.press("PageDown")
        page.until("evencubeLab.recording.at === 1 && document.getElementById('problem').hidden")

    def test_a_recording_has_names_and_room_in_every_window(self):
        file = self.recording()
        for width, dark in ((360, False), (500, True), (1280, True), (2560, False)):
            with self.subTest(width=width, dark=dark):
                page = self.open(FIGURE_18, width=width, height=900, dark=dark)
                page.choose_file("#recording-file", file)
                page.until("evencubeLab.recording.open && evencubeLab.replay.answer.figures")
                self.assertEqual(faults(page), [])
                self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), width)

    def test_names_labels_and_contrast_in_both_themes(self):
        for dark in (False, True):
            for view in ("cube", "compare", "time", "exercises"):
                with self.subTest(view=view, dark=dark):
                    page = self.open(f"{FIGURE_18}&v={view}".replace("v=cube&n", "n"), dark=dark)
                    self.assertEqual(page.ask("document.documentElement.dataset.theme"), "dark" if dark else "light")
                    self.assertEqual(faults(page), [])

    def test_no_view_is_wider_than_the_window(self):
        for width in (360, 500, 1280, 2560):
            page = self.open(FIGURE_18, width=width, height=900)
            for view in ("cube", "compare", "time", "exercises"):
                with self.subTest(view=view, width=width):
                    page.ask(f"document.getElementById('tab-{view}').click()")
                    self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), width)

    def test_every_kind_of_network_is_shown(self):
        page = self.open(FIGURE_18)
        for kind in page.ask("[...document.getElementById('kind').options].map((option) => option.value)"):
            with self.subTest(kind=kind):
                page.ask(f"""document.getElementById('kind').value = '{kind}';
                  document.getElementById('balancer').value = 'diffusion';
                  document.getElementById('balancer').dispatchEvent(new Event('change'));
                  document.getElementById('kind').dispatchEvent(new Event('change'))""")
                page.until(f"evencubeLab.replay.answer.topology.startsWith('{kind}:') && document.getElementById('problem').hidden")
                self.assertGreater(page.ask("evencubeLab.replay.phases"), 0)

    def test_frames_at_4096_nodes_draw_something(self):
        page = self.open("v=cube&n=hypercube:12&b=oem&l=1")
        page.ask("document.querySelector('[data-start=uniform]').click()")
        page.until("evencubeLab.replay && evencubeLab.replay.loads.length === 4096")
        self.assertEqual(len(page.ask("evencubeLab.measureFrames(12)")), 12)
        colours = page.ask("""(() => { const canvas = document.getElementById('cube');
          const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
          const found = new Set(); for (let i = 0; i < data.length; i += 4) found.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
          return found.size; })()""")
        self.assertGreater(colours, 15)


def frames():
    with opened("v=cube&n=hypercube:12&b=oem&l=1") as page:
        page.ask("document.querySelector('[data-start=uniform]').click()")
        page.until("evencubeLab.replay && evencubeLab.replay.loads.length === 4096")
        page.ask("evencubeLab.measureFrames(30)")
        times = page.ask("evencubeLab.measureFrames(300)")
    print_times("4096 nodes, 2048 transfers a frame", times)
    with opened("v=time&n=hypercube:12&ts=mm1-array&tb=diffusion&ta=400000") as page:
        page.until("evencubeLab.time.shown?.events === 400000")
        page.ask("evencubeLab.time.measureFrames(30)")
        times = page.ask("evencubeLab.time.measureFrames(300)")
    print_times("4096 nodes in the Time view", times)


def print_times(what, times):
    print(f"{what}, 1280 x 800, each frame until it is painted: median {statistics.median(times):.2f} ms, "
          f"least {min(times):.2f} ms, largest {max(times):.2f} ms of {len(times)}")


VIEWS = {"cube": f"{FIGURE_18}&p=1", "compare": "v=compare&n=hypercube:3&l=15,1,1,1,1,1,1,1&c=dem|oem|cwa&t=overlapped",
         "exercises": "v=exercises&e=half-of-it", "time": "v=time&n=hypercube:5&ts=hot-spot&tb=oem&tr=1&ta=60000",
         "grid": "v=cube&n=hypercube:10&b=oem&l=" + ",".join(str((k * 2654435761 >> 7) % 90 + (400 if k % 97 == 5 else 0)) for k in range(1024)) + "&p=4",
         "cube-6": "v=cube&n=hypercube:6&b=cwa&l=" + ",".join(str((k * 40503 >> 3) % 50) for k in range(64)) + "&p=2"}


def photograph(file, name, width, height, dark):
    with opened(VIEWS.get(name, FIGURE_18), width=width, height=height, dark=dark) as page:
        if name == "recording":
            with tempfile.TemporaryDirectory() as folder:
                page.choose_file("#recording-file", recorded(PROGRAM, folder))
                page.until("evencubeLab.recording.open && evencubeLab.replay.answer.figures")
            page.ask("evencubeLab.recording.choose(1)")
            page.ask("evencubeLab.pose(0.45)")
        if name in ("cube", "grid", "cube-6"):
            page.ask("evencubeLab.pose(0.45)")
        if name == "time":
            page.until("evencubeLab.time.shown?.events === 60000")
        page.photograph(file)
        if page.said:
            print(file, page.said)


def pictures_of_documentation(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, width, dark in (("cube", 1280, False), ("compare", 1280, False), ("time", 1280, False), ("exercises", 1280, False), ("cube", 500, True),
                              ("recording", 1280, False)):
        photograph(folder / f"{name}-{width}.png", name, width, 900 if width == 500 else 860, dark)


def pictures(folder):
    """Each view in both themes, to be looked at."""
    folder.mkdir(parents=True, exist_ok=True)
    for width, height in ((360, 740), (500, 900), (1280, 900), (2560, 1300)):
        for dark in (False, True):
            for name in (*VIEWS, *(["recording"] if PROGRAM != "none" else [])):
                photograph(folder / f"{name}-{width}-{'dark' if dark else 'light'}.png", name, width, height, dark)


def main():
    global PAGE, PROGRAM
    PAGE, *words = sys.argv[1:]
    if words and not words[0].startswith("--"):
        PROGRAM = words.pop(0)
    if PAGE == "none":
        print("skipped: the page of the lab was not built, because emscripten is missing (Debian: emscripten)")
        return 77
    if browser.missing():
        print(f"skipped: {browser.missing()}")
        return 77
    if words[:1] == ["--frames"]:
        frames()
        return 0
    if words[:1] == ["--docs"]:
        pictures_of_documentation(pathlib.Path(words[1]))
        return 0
    if words[:1] == ["--pictures"]:
        pictures(pathlib.Path(words[1]))
        return 0
    print(f"the page has {pathlib.Path(PAGE).stat().st_size} bytes")
    result = unittest.main(argv=[sys.argv[0]], exit=False, verbosity=2).result
    return 0 if result.wasSuccessful() and result.testsRun > 8 else 1


if __name__ == "__main__":
    sys.exit(main())
