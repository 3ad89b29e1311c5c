/** The CLI cannot be reached any more. It is unknown whether it received the last message. */
export class SessionGone extends Error {}
