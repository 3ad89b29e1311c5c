// Runs in place of a CLI that has hooks: records in which folder it was started, then continues as the stand-in that its
// first argument names, if there is one.
import { appendFileSync } from "node:fs";

const [file = "", standIn, ...args] = process.argv.slice(2);
appendFileSync(file, `${process.cwd()}\n`);
if (standIn !== undefined && standIn !== "none") {
  process.argv = [process.argv[0]!, standIn, ...args];
  await import(standIn);
}
