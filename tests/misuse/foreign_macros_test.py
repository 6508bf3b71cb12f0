#!/usr/bin/env python3
"""Public headers compile after the macros of Qt, X11, curses, windows.h and sys/*.h.

usage: foreign_macros_test.py SOURCE_FOLDER INCLUDE_FOLDER...

Each macro is defined as something that compiles nowhere, after the standard headers. So a header of ours that uses the
name of one anywhere is found, even where the macro's own replacement happens to compile.
"""

import pathlib
import re
import sys
import unittest

import misuse

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
FOLDERS = sys.argv[1:]
del sys.argv[1:]

COMPONENTS = ("balancers", "runtime", "algorithms", "trace", "simulator", "pages", "workloads", "interop", "cluster", "papers")
# Headers that include those of libraries which may not be here.
FOREIGN = {"evencube/interop/beman_execution.hpp", "evencube/interop/eigen.hpp", "evencube/interop/opencv.hpp",
           "evencube/interop/stdexec.hpp"}

MACROS = {
    "Qt": """
        slots signals emit foreach(variable,container) forever Q_SLOTS Q_SIGNALS Q_EMIT Q_SLOT Q_SIGNAL Q_OBJECT Q_GADGET
        Q_INVOKABLE Q_FOREVER Q_FOREACH(variable,container) Q_UNUSED(x) Q_ASSERT(x) SIGNAL(a) SLOT(a) METHOD(a)
        """,
    "X11": """
        None Bool Status True False Success Always Above Below TopIf BottomIf Opposite Unsorted YSorted YXSorted YXBanded
        Complex Convex Nonconvex KeyPress KeyRelease ButtonPress ButtonRelease MotionNotify EnterNotify LeaveNotify FocusIn
        FocusOut Expose GraphicsExpose NoExpose MapNotify ClientMessage SelectionClear CursorShape TileShape StippleShape
        ControlMask ShiftMask LockMask Button1 Button2 Button3 InputFocus InputOnly InputOutput CurrentTime NoSymbol
        AnyKey AnyButton AnyModifier PointerRoot ParentRelative CopyFromParent WhenMapped NotUseful IsViewable DestroyAll
        RaiseLowest LowerHighest GrabSuccess AlreadyGrabbed BadRequest BadValue BadWindow BadMatch BadAccess BadAlloc
        BadName BadLength BadImplementation AllPlanes AllValues NoValue XValue YValue WidthValue HeightValue QueuedAlready
        DefaultScreen(display) RootWindow(display,screen) ScreenCount(display) ConnectionNumber(display)
        LineSolid CapButt CapRound JoinMiter JoinRound FillSolid FillTiled ClipByChildren GXclear GXand GXcopy GXor GXset
        StaticGray GrayScale PseudoColor TrueColor DirectColor LSBFirst MSBFirst
        """,
    "curses": """
        OK ERR TRUE FALSE LINES COLS COLORS COLOR_PAIRS TABSIZE stdscr curscr newscr addch(c) addstr(s) addnstr(s,n) attron(a)
        attroff(a) attrset(a) attr_on(a,o) attr_off(a,o) attr_get(a,p,o) attr_set(a,p,o) bkgd(c) bkgdset(c)
        border(l,r,t,b,p,q,s,u) clrtobot() clrtoeol() delch() deleteln() echochar(c) getch() getstr(s) getnstr(s,n) hline(c,n)
        vline(c,n) inch() instr(s) innstr(s,n) insch(c) insertln() insdelln(n) insstr(s) scroll(w) scrl(n) setscrreg(t,b)
        standend() standout() timeout(delay) touchline(w,s,c) touchwin(w) untouchwin(w) redrawwin(w) getyx(w,y,x)
        getmaxyx(w,y,x) getbegyx(w,y,x) crmode() nocrmode() is_pad(w) COLOR_PAIR(n) PAIR_NUMBER(a) KEY_F(n)
        A_BOLD A_NORMAL A_COLOR COLOR_RED COLOR_BLACK KEY_UP KEY_DOWN KEY_CLEAR KEY_END KEY_EVENT KEY_MIN KEY_MAX
        """,
    "windows.h": """
        min(a,b) max(a,b) near far NEAR FAR small interface pascal cdecl huge hyper pure IN OUT OPTIONAL ERROR NO_ERROR
        CONST VOID TRUE FALSE DELETE CALLBACK WINAPI APIENTRY PASCAL CDECL IGNORE INFINITE STRICT THIS DIFFERENCE ABSOLUTE
        RELATIVE ALTERNATE TRANSPARENT OPAQUE DOMAIN OVERFLOW UNDERFLOW ANYSIZE_ARRAY MAX_PATH MAXIMUM_WAIT_OBJECTS
        GetObject GetMessage SendMessage CreateWindow CreateEvent CreateFile CreateMutex DeleteFile CopyFile MoveFile
        FindText GetClassName GetCurrentTime() GetFreeSpace(w) LoadImage DrawText RegisterClass ReportEvent StartService
        Yield() UnlockSegment(w) GlobalDiscard(h) MAKEWORD(a,b) LOWORD(l) HIWORD(l) RGB(r,g,b) rad1 rad2 grp1 chx1 psh1
        """,
    "sys/*.h and compilers": """
        major(device) minor(device) makedev(major,minor) unix linux i386 sun st_atime st_mtime st_ctime sa_handler s_addr
        MIN(a,b) MAX(a,b) roundup(x,y) howmany(x,y) powerof2(x) setbit(a,i) clrbit(a,i) isset(a,i) isclr(a,i) NBBY NOFILE
        EMPTY BOOT_TIME NEW_TIME INIT_PROCESS LOGIN_PROCESS USER_PROCESS DEAD_PROCESS B0 B50 B110 ECHO NL0 CR0 TAB0
        MAP_SHARED PAGE_SIZE PATH_MAX NAME_MAX IOV_MAX TIMER_ABSTIME CLOCK_REALTIME LOCK_EX LOCK_UN
        """,
}

# Names of macros that are left out here, each with the reason.
LEFT_OUT = {
    "box clear erase move refresh": "curses.h itself undefines them in C++, where std::move and containers have these names",
}

CEREAL = ("archives/binary", "types/array", "types/map", "types/optional", "types/string", "types/tuple", "types/utility",
          "types/vector")
CARELESS = {
    "slots": "struct queue { int slots = 0; };",
    "min": "struct limits { static int min(int a, int b); };",
    "timeout": "struct wait { void timeout(int delay); };",
}


def macros():
    return sorted({word for text in MACROS.values() for word in text.split()})


def definitions():
    """All macros, replaced by what is wrong wherever it stands."""
    return "".join(f"#undef {word.split('(')[0]}\n#define {word} @ a macro of another library @\n" for word in macros())


def public_headers(component):
    folder = SOURCE / component / "include"
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.hpp"))}


def standard_headers(components):
    """Those that the components' headers include."""
    texts = [path.read_text(encoding="utf-8") for name in components for path in public_headers(name).values()]
    return sorted({name for text in texts for name in re.findall(r"^#include <([a-z_]+)>", text, re.M)})


def program(components):
    """All public headers after the macros, which come after the headers of others."""
    before = [*standard_headers(components), *(f"cereal/{name}.hpp" for name in CEREAL if "cluster" in components)]
    after = [name for component in components for name in public_headers(component) if name not in FOREIGN]
    return ("".join(f"#include <{name}>\n" for name in before) + definitions() +
            "".join(f"#include <{name}>\n" for name in after))


class ForeignMacros(unittest.TestCase):
    def each(self):
        self.assertTrue(misuse.COMPILERS, "no compiler is here")
        for compiler in misuse.COMPILERS:
            with self.subTest(compiler=compiler):
                yield compiler

    def test_what_is_left_out_is_not_defined(self):
        defined = {word.split("(")[0] for word in macros()}
        for names in LEFT_OUT:
            self.assertFalse(defined & set(names.split()))

    def test_a_careless_header_is_found(self):
        for compiler in self.each():
            for name, text in CARELESS.items():
                with self.subTest(name=name):
                    self.assertEqual(misuse.compile(compiler, text, [])[0], 0)
                    self.assertNotEqual(misuse.compile(compiler, definitions() + text, [])[0], 0)

    def test_every_public_header_compiles_after_them(self):
        have_cereal = misuse.compile(misuse.COMPILERS[0], "#include <cereal/cereal.hpp>\n", [])[0] == 0
        components = [name for name in COMPONENTS if name != "cluster" or have_cereal]
        self.assertTrue(all(public_headers(name) for name in components))
        folders = [*FOLDERS, *(SOURCE / name / "include" for name in components)]
        for compiler in self.each():
            status, said = misuse.compile(compiler, program(components), folders, "-w")
            errors = misuse.blocks_of_errors(said)
            self.assertEqual(status, 0, f"{len(errors)} errors, such as\n" + "\n".join(errors[:5]))


if __name__ == "__main__":
    unittest.main()
