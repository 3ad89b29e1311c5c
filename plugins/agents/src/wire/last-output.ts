const MAX_CHARS = 500;
/** Lines that a crashed Node program prints round the one that tells why: stack, source position, marker, version. */
const NOISE =
  /^\s+at |^\s*\^+\s*$|^(?:node:|file:\/\/)\S+:\d+$|^Node\.js v|^\s*throw /;

/** The end of a process's error output, as far as it helps a user: without the stack of a crash. */
export function lastOutput(errorTail: string): string {
  return errorTail
    .split("\n")
    .filter((line) => line.trim() !== "" && !NOISE.test(line))
    .join("\n")
    .slice(-MAX_CHARS)
    .trim();
}
