// The `git` on the PATH of an agent that may only read.
import { runReadingGit } from "@gantry/git-kit/program";

process.exitCode = await runReadingGit(process.argv.slice(2));
