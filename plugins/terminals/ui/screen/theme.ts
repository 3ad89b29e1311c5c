import type { ITheme } from "@xterm/xterm";

/** The sixteen colours that programs name, on a dark and on a light page: each reads well on its background. */
const ANSI: Record<"dark" | "light", ITheme> = {
  dark: {
    black: "#3b4048",
    red: "#f2777a",
    green: "#8fce8b",
    yellow: "#e8c16e",
    blue: "#7fb0f5",
    magenta: "#cf9bf0",
    cyan: "#6cc7cf",
    white: "#d5d8de",
    brightBlack: "#7d8590",
    brightRed: "#ff9a9c",
    brightGreen: "#aee3aa",
    brightYellow: "#f5d691",
    brightBlue: "#a4c8fb",
    brightMagenta: "#dfb8f7",
    brightCyan: "#94dde3",
    brightWhite: "#f5f6f8",
  },
  light: {
    black: "#24292f",
    red: "#b42323",
    green: "#1a6f37",
    yellow: "#855c00",
    blue: "#0b57c2",
    magenta: "#7a35b0",
    cyan: "#106a73",
    white: "#5d6570",
    brightBlack: "#57606a",
    brightRed: "#93191b",
    brightGreen: "#125628",
    brightYellow: "#6b4a00",
    brightBlue: "#08449a",
    brightMagenta: "#5f258c",
    brightCyan: "#0b535a",
    brightWhite: "#3d444d",
  },
};

/** The page's own colours as a terminal takes them, whatever notation they are written in. */
export function readTheme(element: Element, mode: "dark" | "light"): ITheme {
  const style = getComputedStyle(element);
  const context = new OffscreenCanvas(1, 1).getContext("2d", {
    willReadFrequently: true,
  });
  function color(name: string, fallback: string): string {
    const value = style.getPropertyValue(name).trim();
    if (!context || value === "") return fallback;
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = fallback;
    context.fillStyle = value;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = context.getImageData(
      0,
      0,
      1,
      1,
    ).data;
    return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  }
  const isDark = mode === "dark";
  const background = color("--ui-bg", isDark ? "#101216" : "#ffffff");
  const primary = color("--ui-primary", isDark ? "#7fb0f5" : "#0b57c2");
  return {
    ...ANSI[mode],
    background,
    foreground: color("--ui-text", isDark ? "#d5d8de" : "#24292f"),
    cursor: color("--ui-text-highlighted", primary),
    cursorAccent: background,
    selectionBackground: `${primary}40`,
    scrollbarSliderBackground: `${primary}30`,
    scrollbarSliderHoverBackground: `${primary}50`,
    scrollbarSliderActiveBackground: `${primary}70`,
  };
}
