/** The CLI cannot be reached any more. Whether it has what was sent last is not known. */
export class SessionGone extends Error {}
