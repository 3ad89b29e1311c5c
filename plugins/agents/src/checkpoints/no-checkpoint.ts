/** Why there is no snapshot, as a sentence for the user. */
export class NoCheckpoint extends Error {}
