export { testCopies } from "./copies-suite.ts";
export type { CopySubject } from "./copies-suite.ts";
export { testScreens } from "./screen-suite.ts";
export type { ScreenSubject } from "./screen-suite.ts";
export { testDriver } from "./driver-suite.ts";
export type { DriverPrompts, DriverSubject } from "./driver-suite.ts";
