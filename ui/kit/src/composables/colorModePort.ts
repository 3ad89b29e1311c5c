/** What the user wishes: the system's colours, or one of the two. */
export type ColorModePreference = "system" | "light" | "dark";

/** How the shell keeps the colour mode. */
export interface ColorModePort {
  preference(): ColorModePreference;
  resolved(): "light" | "dark";
  set(preference: ColorModePreference): void;
}
