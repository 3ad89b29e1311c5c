/** A word, name or phrase that is kept out of the code base. */
export interface RefusedWord {
  /** Matched against the whole text of a file; a space also matches a line break inside a comment. */
  pattern: RegExp;
  /** What to write, as the end of "Write …". */
  instead: string;
}

/**
 * Words, names and phrases that are metaphors here, or stand where the field has a term of its own. Each one was in use
 * before. Add a line when a reader has to ask what a phrase means.
 */
export const REFUSED_WORDS: readonly RefusedWord[] = [
  // Constants
  {
    pattern:
      /\b(?:MOST|LONGEST|LARGEST|BIGGEST|HIGHEST|DEEPEST|WIDEST|SLOWEST)(?:_[A-Z0-9_]+)?\b/,
    instead: "MAX_… with the unit at the end",
  },
  {
    pattern: /\b(?:LEAST|SHORTEST|SMALLEST|LOWEST|FEWEST)(?:_[A-Z0-9_]+)?\b/,
    instead: "MIN_… with the unit at the end",
  },
  {
    pattern:
      /\b(?:most|longest|largest|biggest)(?:Bytes|Days|Frames|Ms|Shown|Tags|DelayMs)\b/,
    instead: "max… with the unit at the end",
  },
  { pattern: /\b(?:DEAF|[dD]eaf)\b/, instead: "`NO_LISTENER` or the like" },
  // Names
  { pattern: /\b\w*[Cc]ourtesy\w*/, instead: "a throttle" },
  { pattern: /#?\bletGo\b/, instead: "`release`, `discard` or `drop`" },
  { pattern: /\b[A-Za-z]*[a-z]Ears?\b|\bears?\b/, instead: "a listener" },
  {
    pattern: /\b[A-Za-z]*Door[A-Z]?\w*|\bdoors?\b/,
    instead: "what it is: a handler, a route, a gate",
  },
  { pattern: /\blay(?:Foundation|sFoundation)\b/, instead: "`open…`" },
  // Persons for programs
  {
    pattern: /\b(?:whoever|whosoever)\b/i,
    instead: "the caller, the client or the user",
  },
  {
    // Not `anyBody`, a body of any kind.
    pattern: /\b(?:[Ss]ome|[Aa]ny)body(?:'s)?\b/,
    instead: "a caller, a client, a user or another process",
  },
  {
    // Not in quotes alone, which is the account or an id.
    pattern:
      /\b[Nn]obody(?:'?s)?\b(?!["'`])|(?<!["'`])\b[Nn]obody\b|[a-z]Nobody\b/,
    instead: "no caller, no client, or the passive voice",
  },
  {
    pattern: /\b(?:he|his|him|himself)\b/i,
    instead: "the thing again, or it/they",
  },
  {
    pattern: /\b(?:hears?|heard|hearing)\b/i,
    instead: "receives, is notified of, or a screen reader",
  },
  {
    pattern: /\b(?:is|are|was|were|be|been|being) told\b|\btold of\b/i,
    instead: "is notified of, is reported, receives or is given",
  },
  {
    pattern: /\b(?:tells?|telling) of\b/i,
    instead: "reports, describes or announces",
  },
  // Phrases
  {
    pattern: /\b(?:stands?|standing|stood) on\b/i,
    instead: "Dependencies of …, or depends on",
  },
  {
    pattern: /\b(?:made|makes?|making) up for\b/i,
    instead: "caught up, catches up",
  },
  {
    pattern: /\bas (?:often|fast|much|many) as (?:he|it|they) likes?\b/i,
    instead: "unlimited",
  },
  {
    pattern: /\b(?:gives?|gave|giving) ?way\b/i,
    instead: "yields, or is evicted",
  },
  { pattern: /(?<!the )\bat work\b/i, instead: "running or in progress" },
  {
    pattern:
      /\b(?:in|into|from|of) (?:the|a|its|their) row of (?:those|what|runs|jobs|work)\b|\bplace in (?:the|a|its|their) row\b/i,
    instead: "the queue",
  },
  {
    pattern: /\bgives? (?:back )?the way to\b/i,
    instead: "returns a function that …",
  },
  { pattern: /\btwice is harmless\b/i, instead: "Idempotent" },
  { pattern: /\bso many\b/i, instead: "a number, or this many" },
  { pattern: /\banew\b/i, instead: "again, or recreated" },
];
