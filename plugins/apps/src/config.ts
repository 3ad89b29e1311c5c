import * as z from "zod";
import { BUILT_IN_APPS } from "./built-in/built-in-apps.ts";

const names = Object.keys(BUILT_IN_APPS) as (keyof typeof BUILT_IN_APPS)[];

/** The plugin's section of the configuration. */
export const appsConfig = z.strictObject({
  /** The built-in apps that are there; all of them unless said. */
  builtIn: z.array(z.enum(names)).default(names),
});

export type AppsConfig = z.infer<typeof appsConfig>;
