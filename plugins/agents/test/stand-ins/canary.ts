// Runs in the place of a CLI that has hooks: says in which folder it was started, then continues as the stand-in that
// is its first argument, if there is one.
import { appendFileSync } from "node:fs";

const [file = "", standIn, ...args] = process.argv.slice(2);
appendFileSync(file, `${process.cwd()}\n`);
if (standIn !== undefined && standIn !== "none") {
  process.argv = [process.argv[0]!, standIn, ...args];
  await import(standIn);
}
