import { readPatience } from "../../bootstrap/patience.mjs";

/** How many times as long as on an idle machine tests wait before they give up; 3 or more. */
export const patience: number = readPatience();

/** How long to wait for what comes at once on an idle machine, in ms. Costs nothing where it comes. */
export const WAIT_MS: number = 15_000 * patience;

/** The limit of a test or a hook, in ms. It ends what hangs; how fast something is, is no matter of this limit. */
export const TEST_TIMEOUT_MS: number = 60_000 * patience;
