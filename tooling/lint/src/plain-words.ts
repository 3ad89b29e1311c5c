/** Wording that readers stumble over, and what to write in its place. */
export interface Wording {
  /** Matches whole words in any case. A space in it also matches a line break within a comment. */
  phrase: RegExp;
  /** Completes "Write …": the plain words. */
  instead: string;
}

/** Phrases refused in comments, in texts for people and in templates. */
export const PHRASES: readonly Wording[] = [
  // Persons in the place of programs.
  { phrase: /who(?:m|so)?ever/, instead: "the caller, the client or the user" },
  {
    phrase: /nobody|somebody|anybody|everybody/,
    instead: "who it is: the plugin, the client, the process, the user",
  },
  { phrase: /he|him|his|himself/, instead: "who it is, or “they”" },
  { phrase: /outsiders?/, instead: "“unauthenticated client”" },

  // Words that are no longer used, or not in this sense.
  { phrase: /anew/, instead: "“again”" },
  {
    phrase:
      /whilst|lest|whence|thence|hither|hitherto|henceforth|forthwith|albeit|apiece|amid/,
    instead: "a word of today: “while”, “so that … not”, “until now”",
  },
  {
    phrase: /there(?:of|in|by|upon)|where(?:of|in|by|upon)|upon/,
    instead: "“of it”, “in it”, “by it”, “on”",
  },
  { phrase: /in vain/, instead: "“without success”" },
  { phrase: /for good(?! reason)/, instead: "“permanently”" },
  { phrase: /of (?:its|their) own accord/, instead: "“without a request”" },
  { phrase: /the very (?:same|thing|one|ones)/, instead: "“the same”" },
  { phrase: /comes? (?:about|true)|came about/, instead: "“happens”" },
  { phrase: /come what may/, instead: "“always”" },
  { phrase: /in the name of/, instead: "“on behalf of” or “as”" },
  {
    phrase: /as (?:it|they|one) (?:likes?|pleases?|wish(?:es)?)/,
    instead: "the limit, or that there is none",
  },

  // Phrases that stand for one plain verb.
  {
    phrase: /(?:told|tells?|telling) of/,
    instead: "“reported”, “reports”, “describes”",
  },
  { phrase: /sees? to it|seen to/, instead: "“makes sure”, or what is done" },
  {
    phrase: /(?:go|goes|going|gone|went) on(?! (?:the|a|an|its|top|disk)\b)/,
    instead: "“continues”",
  },
  { phrase: /at work/, instead: "“running”, “active” or “in progress”" },
  {
    phrase: /hears? (?:nothing )?of|heard (?:nothing )?of/,
    instead: "“is notified of”",
  },
  { phrase: /look(?:s|ed|ing)? through/, instead: "“checks”, “searches”" },
  { phrase: /look(?:s|ed|ing)? after/, instead: "“manages”" },
  { phrase: /let go/, instead: "“released”, “ignored”" },
  { phrase: /mend(?:s|ed|ing)?/, instead: "“fixes” or “repairs”" },
  { phrase: /stands? on/, instead: "“depends on”, “is on”" },
  { phrase: /hand(?:s|ed)? on/, instead: "“passes”, “delivers”" },
  { phrase: /tak(?:es?|ing) note|took note/, instead: "“records”" },
  { phrase: /becomes? of|became of/, instead: "“the result of”" },
  { phrase: /(?:has|have|had) to say/, instead: "“reports”, “returns”" },
  { phrase: /leads? nowhere/, instead: "“broken link”" },
  { phrase: /(?:in|of) the row/, instead: "“in the queue”" },
  { phrase: /last word/, instead: "what is sent or done last" },

  // Sentences that have to be read twice.
  { phrase: /of (?:which|whom) one/, instead: "a second sentence" },
  { phrase: /nothing any more/, instead: "“no longer … anything”" },
  { phrase: /does so no more/, instead: "“no longer does”" },

  // A state of an agent that has another name everywhere else.
  { phrase: /waits? for you/, instead: "“Needs input”" },
];

/** Names refused where they are declared, by how they begin or end. Case counts. */
export const NAMES: readonly Wording[] = [
  {
    phrase: /(?:MOST|LONGEST|LARGEST|BIGGEST)(?:_\w+)?/,
    instead: "`MAX_…`, with the unit at the end",
  },
  {
    phrase: /(?:LEAST|SHORTEST|SMALLEST|FEWEST)(?:_\w+)?/,
    instead: "`MIN_…`, with the unit at the end",
  },
  { phrase: /LAST_WORD\w*/, instead: "`CLOSE_DELAY_MS` or alike" },
  { phrase: /DEAF\w*/, instead: "`NO_LISTENER` or alike" },
  { phrase: /lay[A-Z]\w*/, instead: "`open…` or `create…`" },
  { phrase: /when(?:There|Gone)/, instead: "`on…`" },
  { phrase: /\w+(?:Courtesy|Aims)/, instead: "what it does: `…Throttle`" },
];
