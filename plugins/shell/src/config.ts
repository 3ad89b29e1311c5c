import * as z from "zod";

/** Settings of the plugin. */
export const config = z.strictObject({
  /** `dist` folder of a built shell to serve instead of the one that is delivered; `null` to serve no pages. */
  folder: z.string().min(1).nullable().optional(),
});
