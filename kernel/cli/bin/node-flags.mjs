/**
 * Flags of Node for the daemon, given by whatever starts it. The first limits the young generation, which otherwise grows to
 * 16 MB during the start, since most objects that are made then stay, and keeps that size at rest. So little is collected
 * faster by one thread: waking others for it takes a tenth of the processor time of a busy daemon.
 */
export const NODE_FLAGS = ["--max-semi-space-size=2", "--no-parallel-scavenge"];
