/**
 * Version of this contract as `api.minor`. A minor version adds to the one before; what would break plugins gets the next
 * `api`. What each has is in the changelog of this package.
 */
export const CONTRACT_VERSION = "1.4";
