import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Run } from "@gantry/plugin";
import type {
  UtilitiesInput,
  UtilitiesOutput,
} from "../program/utilities-input.ts";

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Compiles a sheet in a process of its own.
 *
 * @throws Error with the compiler's complaint if it fails or takes over 30 s
 */
export async function compileUtilities(
  run: Run,
  input: UtilitiesInput,
): Promise<UtilitiesOutput> {
  const result = await run.collect(process.execPath, [compilerFile()], {
    input: JSON.stringify(input),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (result.code !== 0)
    throw new Error(`The utilities were not compiled: ${result.stderr}`);
  return JSON.parse(result.stdout) as UtilitiesOutput;
}

/** The compiler's file: beside the bundle, or in the sources. */
function compilerFile(): string {
  const isSource = extname(import.meta.url) === ".ts";
  const path = isSource
    ? "../program/compile-utilities.ts"
    : "./compile-utilities.mjs";
  return fileURLToPath(new URL(path, import.meta.url));
}
