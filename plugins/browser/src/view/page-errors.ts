const NETWORK_ERRORS: readonly [RegExp, string][] = [
  [
    /ERR_NAME_NOT_RESOLVED/,
    "There is no site with this name. Check the address.",
  ],
  [
    /ERR_CONNECTION_REFUSED/,
    "Nothing answers at this address. Check that the server runs.",
  ],
  [
    /ERR_(CONNECTION_TIMED_OUT|TIMED_OUT)/,
    "The site did not answer in time. Try again.",
  ],
  [
    /ERR_(CONNECTION_(RESET|CLOSED|ABORTED)|EMPTY_RESPONSE)/,
    "The site closed the connection without an answer. Try again.",
  ],
  [
    /ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED|ERR_ADDRESS_UNREACHABLE/,
    "This machine has no connection to the site. Check its network.",
  ],
  [
    /ERR_CERT_DATE_INVALID/,
    "The site's certificate has expired, or this machine's clock is wrong.",
  ],
  [
    /ERR_CERT_COMMON_NAME_INVALID/,
    "The site's certificate is for another name. The connection is not private.",
  ],
  [
    /ERR_CERT|ERR_SSL/,
    "The site's certificate cannot be trusted. The connection is not private.",
  ],
  [
    /ERR_TOO_MANY_REDIRECTS/,
    "The site redirects in a circle. Deleting its cookies may help.",
  ],
  [
    /ERR_(TUNNEL_CONNECTION_FAILED|PROXY)/,
    "Gantry could not connect to this site: it refuses the address, or nothing answers there.",
  ],
  [/ERR_BLOCKED_BY_(CLIENT|RESPONSE|ADMINISTRATOR)/, "The page was blocked."],
  [
    /ERR_(INVALID_URL|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME|UNSAFE_PORT|UNSAFE_REDIRECT)/,
    "The browser does not open addresses of this kind.",
  ],
];

/** Codes of loads that were cancelled on purpose: by a download, or by another load. */
export const isHarmless = (errorText: string): boolean =>
  /ERR_ABORTED|ERR_HTTP_RESPONSE_CODE_FAILURE/.test(errorText);

/** Describes Chromium's code of a failed load, such as `net::ERR_NAME_NOT_RESOLVED`; also handles a missing code. */
export function describeLoadError(errorText: string | undefined): string {
  if (errorText === undefined)
    return "The page could not be loaded. Check the address, or try again.";
  const words = NETWORK_ERRORS.find(([pattern]) =>
    pattern.test(errorText),
  )?.[1];
  return words ?? `The page could not be loaded (${errorText.slice(0, 80)}).`;
}
