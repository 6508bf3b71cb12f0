"""A page in a headless Chromium, steered by the protocol of its developer tools through pipes."""

import base64
import json
import os
import pathlib
import select
import subprocess
import tempfile
import time


class Page:
    """A page that can be asked, clicked, typed into and photographed. A context manager."""

    def __init__(self, program, address, width=1280, height=800, dark=False, deadline=240):
        self.deadline = deadline
        self.said = []  # what the console and uncaught errors said
        self._number = 0
        self._rest = b""
        self._profile = tempfile.TemporaryDirectory()
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def place_pipes():
            # The browser reads from 3 and writes to 4; either number may be taken by the other pipe.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            high = [os.dup2(end, 100 + i, inheritable=False) for i, end in enumerate((reading, writing))]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={self._profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=place_pipes)
        os.close(to_browser)
        os.close(from_browser)
        self._attached = None
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self._attached = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Runtime", "Page", "Log"):
                self.call(f"{domain}.enable")
            self.shape(width, height, dark)
            self.call("Page.navigate", url=address)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        for _ in range(20):  # helpers of the browser may still write there
            try:
                self._profile.cleanup()
                return
            except OSError:
                time.sleep(0.1)

    def shape(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def _message(self):
        end = time.monotonic() + self.deadline
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self._in, 1 << 20)
            if not got:
                raise RuntimeError("the browser has ended")
            self._rest += got
        text, self._rest = self._rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **arguments):
        self._number += 1
        request = {"id": self._number, "method": method, "params": arguments}
        if self._attached:
            request["sessionId"] = self._attached
        text = json.dumps(request).encode() + b"\0"
        while text:
            text = text[os.write(self._out, text):]
        while True:
            message = self._message()
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._heard(message)

    def _heard(self, message):
        given = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.said.append(details.get("exception", {}).get("description") or details["text"])
        elif message.get("method") == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning"):
            self.said.append(" ".join(str(one.get("value", one.get("description"))) for one in given["args"]))
        elif message.get("method") == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.said.append(given["entry"]["text"])

    def ask(self, script):
        """The value of an expression in the page; promises are awaited."""
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(f"{script}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def until(self, condition):
        """Waits until an expression is true; the deadline ends it."""
        end = time.monotonic() + self.deadline
        while not self.ask(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"never: {condition}; the page said {self.said}")
            time.sleep(0.02)

    def choose_file(self, selector, path):
        """Chooses a file in a field for files, as a reader does in the browser's dialogue."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    def press(self, key, code=None, text=None):
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, **more)

    def photograph(self, path, full=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full,
                         **({"clip": self._whole()} if full else {}))["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def _whole(self):
        height = self.call("Page.getLayoutMetrics")["cssContentSize"]["height"]
        return {"x": 0, "y": 0, "width": self.ask("innerWidth"), "height": height, "scale": 1}
