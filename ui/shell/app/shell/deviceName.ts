interface UserAgentData {
  brands: { brand: string }[];
  platform: string;
}

const browsers: readonly [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/CriOS\/|Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
];

const systems: readonly [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Mac OS X|Macintosh/, "Mac"],
  [/Linux|X11/, "Linux"],
];

/** A name for this browser that its owner would know it by: `Firefox on Linux`. */
export function toDeviceName(userAgent: string, data?: UserAgentData): string {
  const brand = data?.brands.find(
    ({ brand: name }) => !/not.?a.?brand|chromium/i.test(name),
  )?.brand;
  const browser =
    brand?.replace(/^Google |^Microsoft /, "") ??
    find(browsers, userAgent) ??
    "Browser";
  const system = find(systems, userAgent) ?? data?.platform;
  return system ? `${browser} on ${system}` : browser;
}

function find(
  table: readonly [RegExp, string][],
  text: string,
): string | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}
