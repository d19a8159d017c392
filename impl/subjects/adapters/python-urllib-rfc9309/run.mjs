// Runs a Python program of this folder in the CPython that the npm package pyodide brings,
// compiled to WebAssembly: node run.mjs adapter.py
import { readSync, writeSync } from "node:fs";
import { loadPyodide } from "pyodide";

// Octets go through as they come: Pyodide's own streams are for text and terminals.
function retry(call) {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (error.code === "EOF") return 0; // what Windows says at the end of a pipe
      if (error.code !== "EAGAIN") throw error; // a pipe that somebody made non-blocking
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
const stream = (fd) => ({ write: (octets) => retry(() => writeSync(fd, octets)), isatty: false });

const python = await loadPyodide();
python.setStdin({ read: (octets) => retry(() => readSync(0, octets)), isatty: false });
python.setStdout(stream(1));
python.setStderr(stream(2));
python.FS.mkdirTree("/adapter");
python.mountNodeFS("/adapter", process.cwd());
python.globals.set("program", `/adapter/${process.argv[2]}`);
try {
  python.runPython(`
import runpy, sys
sys.path.insert(0, "/adapter")
sys.dont_write_bytecode = True
runpy.run_path(program, run_name="__main__")
`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
