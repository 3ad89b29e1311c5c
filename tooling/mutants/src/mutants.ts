import { browserMutants } from "./browser-mutants.ts";
import { gitMutants } from "./git-mutants.ts";
import { guardMutants } from "./guard-mutants.ts";
import { kernelMutants } from "./kernel-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { shellMutants } from "./shell-mutants.ts";
import { storageMutants } from "./storage-mutants.ts";

/** Every protection whose loss must be noticed. */
export const mutants: readonly Mutant[] = [
  ...kernelMutants,
  ...gitMutants,
  ...browserMutants,
  ...guardMutants,
  ...shellMutants,
  ...storageMutants,
];
