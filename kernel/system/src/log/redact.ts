import { isSecretName, secretValuesOf } from "./secret-values.ts";

/** Removes secrets from texts before they are logged or stored elsewhere. */
export interface Redactor {
  (text: string): string;
  /**
   * Adds a test for secrets without a recognisable format, such as a pairing code. Returns a function that removes it.
   */
  watch(isSecret: (candidate: string) => boolean): () => void;
  /** Whether a field of this name contains a secret, whatever its value. */
  isSecretName(name: string): boolean;
}

/** Where a redactor finds known secrets. */
export interface RedactorOptions {
  /** Environment variables of the daemon; those with the name of a secret are secrets. */
  environment?: NodeJS.ProcessEnv;
  /** The configuration, likewise. */
  settings?: object;
}

/** Replaces a secret. */
export const REDACTED = "[redacted]";

/** Longer texts are never written, so no more is examined. */
const MAX_TEXT_LENGTH = 16 * 1024;
/** No secret that is recognised by its format is longer. */
const MAX_WORD_LENGTH = 4096;

/** Every repetition has a bound, so that no text takes long. */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Headers with credentials, up to the end of the line.
  [
    /\b((?:proxy-)?authorization|(?:set-)?cookie)\b(["']?\s{0,3}[:=]\s{0,3}["']?)[^\r\n"']{1,16384}/gi,
    `$1$2${REDACTED}`,
  ],
  [/\b(bearer|basic)\s{1,3}[\w.~+/=-]{8,4096}/gi, `$1 ${REDACTED}`],
  // User name and password in an address.
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"'<>]{1,512}@/gi, `$1${REDACTED}@`],
  [
    /([?&#](?:access_token|api_?key|code|key|password|secret|sig|signature|token)=)[^&#\s"'<>]{1,4096}/gi,
    `$1${REDACTED}`,
  ],
  // Webhook addresses of chat tools, which are credentials themselves.
  [
    /(\bhooks\.slack\.com\/\w{1,20}\/|\bdiscord(?:app)?\.com\/api\/webhooks\/)[\w/-]{1,512}/gi,
    `$1${REDACTED}`,
  ],
  // FOO_TOKEN=…, as a shell or an environment shows it.
  [
    /\b([A-Z][A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=)[^\s"',;&]{6,4096}/g,
    `$1${REDACTED}`,
  ],
  // Keys with the prefix of their provider.
  [
    /\b(?:sk-[\w-]{16,512}|[sr]k_(?:live|test)_\w{16,512}|gh[a-z]_\w{20,512}|github_pat_\w{20,512}|glpat-[\w-]{16,512}|xox[a-z]-[\w-]{10,512}|xapp-[\w-]{10,512}|AIza[\w-]{30,512}|(?:AKIA|ASIA)[A-Z0-9]{16}|hf_\w{20,512}|gsk_\w{20,512}|npm_\w{30,512}|pypi-[\w-]{20,512}|r8_\w{20,512}|xai-\w{20,512}|ya29\.[\w-]{20,512}|SG\.[\w-]{16,512})/g,
    REDACTED,
  ],
  [/\beyJ[\w-]{5,2048}\.[\w-]{5,2048}\.[\w-]{5,2048}/g, REDACTED],
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,16384}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
    REDACTED,
  ],
  // Our own: 32 bytes in base64url.
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, REDACTED],
];

/** Candidates for our short-lived secrets: the 128 bits of a link, or a code of three groups. */
const CANDIDATES = [
  /(?<![\w-])(?=([\w-]{22})(?![\w-]))/g,
  /(?<!\w)(?=(\w{4}([ -]?)\w{4}\2\w{4})(?!\w))/g,
];

/** Creates the filter that every logged text passes through. */
export function createRedactor({
  environment = {},
  settings = {},
}: RedactorOptions = {}): Redactor {
  const values = [environment, settings]
    .flatMap(secretValuesOf)
    // A value that contains another one is replaced as a whole.
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

/** A secret that is cut in the middle would not be recognised. */
function cutBetweenWords(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  let end = MAX_TEXT_LENGTH;
  const minEnd = MAX_TEXT_LENGTH - MAX_WORD_LENGTH;
  while (end > minEnd && /[\w-]/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
