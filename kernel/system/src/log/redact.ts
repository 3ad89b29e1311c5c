import { isSecretName, secretValuesOf } from "./secret-values.ts";

/** Takes secrets out of texts before they are written where they do not belong. */
export interface Redactor {
  (text: string): string;
  /** Adds a test for what has no look of its own, such as a pairing code; gives back its undo. */
  watch(isSecret: (candidate: string) => boolean): () => void;
  /** Whether a field of this name holds a secret, whatever its value looks like. */
  isSecretName(name: string): boolean;
}

/** What a redactor knows of. */
export interface RedactorOptions {
  /** Variables of the daemon: those whose name says so are secrets. */
  environment?: NodeJS.ProcessEnv;
  /** The configuration: likewise. */
  settings?: object;
}

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

/** More of a text than this is never written, so no more is looked at. */
const MAX_TEXT_LENGTH = 16 * 1024;
/** No secret that is known by its look is longer. */
const MAX_WORD_LENGTH = 4096;

/** Each with a bound on every repetition, so that no text takes long. */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Headers that carry credentials, up to the end of the line.
  [
    /\b((?:proxy-)?authorization|(?:set-)?cookie)\b(["']?\s{0,3}[:=]\s{0,3}["']?)[^\r\n"']{1,16384}/gi,
    `$1$2${REDACTED}`,
  ],
  [/\b(bearer|basic)\s{1,3}[\w.~+/=-]{8,4096}/gi, `$1 ${REDACTED}`],
  // Who calls, in an address.
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"'<>]{1,512}@/gi, `$1${REDACTED}@`],
  [
    /([?&#](?:access_token|api_?key|code|key|password|secret|sig|signature|token)=)[^&#\s"'<>]{1,4096}/gi,
    `$1${REDACTED}`,
  ],
  // Addresses of chat tools, which are credentials themselves.
  [
    /(\bhooks\.slack\.com\/\w{1,20}\/|\bdiscord(?:app)?\.com\/api\/webhooks\/)[\w/-]{1,512}/gi,
    `$1${REDACTED}`,
  ],
  // FOO_TOKEN=…, as a shell or an environment shows it.
  [
    /\b([A-Z][A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=)[^\s"',;&]{6,4096}/g,
    `$1${REDACTED}`,
  ],
  // Keys that say by their beginning whose they are.
  [
    /\b(?:sk-[\w-]{16,512}|[sr]k_(?:live|test)_\w{16,512}|gh[a-z]_\w{20,512}|github_pat_\w{20,512}|glpat-[\w-]{16,512}|xox[a-z]-[\w-]{10,512}|xapp-[\w-]{10,512}|AIza[\w-]{30,512}|(?:AKIA|ASIA)[A-Z0-9]{16}|hf_\w{20,512}|gsk_\w{20,512}|npm_\w{30,512}|pypi-[\w-]{20,512}|r8_\w{20,512}|xai-\w{20,512}|ya29\.[\w-]{20,512}|SG\.[\w-]{16,512})/g,
    REDACTED,
  ],
  // JSON web tokens. Matching stops at the next possible start, or each start in `eyJ-eyJ-…` would scan the rest again.
  [/\beyJ(?:(?!-eyJ)[\w-]){5,2048}\.[\w-]{5,2048}\.[\w-]{5,2048}/g, REDACTED],
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,16384}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
    REDACTED,
  ],
  // Our own: 32 bytes in base64url.
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, REDACTED],
];

/** What may be one of our short-lived secrets: the 128 bits of a link, or a code of three groups that is typed. */
const CANDIDATES = [
  /(?<![\w-])(?=([\w-]{22})(?![\w-]))/g,
  /(?<!\w)(?=(\w{4}([ -]?)\w{4}\2\w{4})(?!\w))/g,
];

/** Makes the filter that everything passes that is logged. */
export function createRedactor({
  environment = {},
  settings = {},
}: RedactorOptions = {}): Redactor {
  const values = [environment, settings]
    .flatMap(secretValuesOf)
    // A value that contains another one goes as a whole.
    .sort((one, other) => other.length - one.length);
  const tests = new Set<(candidate: string) => boolean>();

  function redact(text: string): string {
    let left = cutBetweenWords(text);
    for (const value of values) left = left.replaceAll(value, REDACTED);
    for (const [pattern, replacement] of PATTERNS)
      left = left.replace(pattern, replacement);
    for (const secret of findLive(left))
      left = left.replaceAll(secret, REDACTED);
    return left;
  }

  function findLive(text: string): string[] {
    if (tests.size === 0) return [];
    return CANDIDATES.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(([, candidate = ""]) => candidate),
    ).filter((candidate) => [...tests].some((isSecret) => isSecret(candidate)));
  }

  return Object.assign(redact, {
    isSecretName,
    watch(isSecret: (candidate: string) => boolean) {
      tests.add(isSecret);
      return () => void tests.delete(isSecret);
    },
  });
}

/** What is cut in its middle would not be known for what it is. */
function cutBetweenWords(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  let end = MAX_TEXT_LENGTH;
  const least = MAX_TEXT_LENGTH - MAX_WORD_LENGTH;
  while (end > least && /[\w-]/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
