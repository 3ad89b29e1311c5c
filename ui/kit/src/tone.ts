/**
 * What a state means to the reader, which decides its colour: `active` is running now, `attention` waits for a person,
 * `success` ended well, `failed` did not, `neutral` is everything else.
 */
export type Tone = "neutral" | "active" | "attention" | "success" | "failed";
