/**
 * Flags of Node for the daemon, given by whatever starts it. They limit the young generation, which otherwise grows to 16 MB
 * during the start, since most objects that are made then stay, and keeps that size at rest.
 */
export const NODE_FLAGS = ["--max-semi-space-size=2"];
