import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/**
 * Starts a program that exchanges paths of a folder with their twins, called the same with `.twin`, as fast as it can
 * until the test is over: the content of files, and folders themselves.
 */
export async function startSwapping(
  folder: string,
  paths: readonly string[],
): Promise<void> {
  const program = `
    const { lstatSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
    process.chdir(${JSON.stringify(folder)});
    const swaps = ${JSON.stringify(paths)}.map((path) => {
      const twin = path + ".twin", between = path + ".between";
      if (lstatSync(path).isDirectory())
        return () => {
          renameSync(path, between);
          renameSync(twin, path);
          renameSync(between, twin);
        };
      const contents = [readFileSync(path), readFileSync(twin)];
      let turn = 0;
      return () => {
        // There is never a moment without the file.
        writeFileSync(between, contents[(turn = 1 - turn)]);
        renameSync(between, path);
      };
    });
    const end = Date.now() + 20;
    while (Date.now() < end) for (const swap of swaps) swap();
    process.stdout.write("ready");
    for (;;) for (const swap of swaps) swap();`;
  const child = spawn(process.execPath, ["-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  });
  await once(child.stdout, "data");
}
