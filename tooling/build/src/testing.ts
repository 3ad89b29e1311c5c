export { costGrowth, costRatio, MAX_LINEAR_GROWTH } from "./cost-ratio.ts";
export { keepPicture } from "./keep-picture.ts";
export { keepTrace } from "./keep-trace.ts";
export { patience, TEST_TIMEOUT_MS, WAIT_MS } from "./patience.ts";
export { temporaryFolder } from "./temporary-folder.ts";
export { cases, isThorough, runs, thoroughUnless } from "./thorough.ts";
