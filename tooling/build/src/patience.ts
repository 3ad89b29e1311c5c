/** How long `expect.poll` and `vi.waitFor` wait for what comes at once on an idle machine. */
export const PATIENCE_MS = 45_000;
