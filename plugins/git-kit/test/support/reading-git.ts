import { runReadingGit } from "../../src/reading-git/run-reading-git.ts";

process.exitCode = await runReadingGit(process.argv.slice(2));
