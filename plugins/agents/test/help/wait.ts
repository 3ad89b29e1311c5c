/** Waits until something is so, looking again and again. Rejects after a time that no healthy run needs. */
export async function until<Result>(
  look: () => Promise<Result | undefined | false> | Result | undefined | false,
  what: string,
): Promise<Result> {
  const end = performance.now() + 15_000;
  for (;;) {
    const result = await look();
    if (result) return result;
    if (performance.now() > end) throw new Error(`It did not happen: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Tells whether a process is alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
