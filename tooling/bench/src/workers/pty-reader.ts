import { spawn } from "../measure/terminal.ts";

/** Reads a file through a terminal of `node-pty` alone, and prints how long that took, in ms. The first time does not count. */
const [file = "", size = ""] = process.argv.slice(2);

async function readFile(): Promise<number> {
  const begin = performance.now();
  const pty = spawn("/bin/sh", ["-c", `cat ${file}`], { encoding: null });
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    pty.onData((data) => {
      bytes += data.length;
      if (bytes >= Number(size)) resolve();
    });
    pty.onExit(() => reject(new Error(`Only ${bytes} bytes came.`)));
  });
  return performance.now() - begin;
}

await readFile();
console.log(await readFile());
process.exit();
