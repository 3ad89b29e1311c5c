const MAX_CHARS = 500;
/** Lines that a crashed Node program prints around the error message: stack, source position, marker, version. */
const NOISE =
  /^\s+at |^\s*\^+\s*$|^(?:node:|file:\/\/)\S+:\d+$|^Node\.js v|^\s*throw /;

/** The end of a process's error output, reduced to what helps a user: without stack traces. */
export function lastOutput(errorTail: string): string {
  return errorTail
    .split("\n")
    .filter((line) => line.trim() !== "" && !NOISE.test(line))
    .join("\n")
    .slice(-MAX_CHARS)
    .trim();
}
