import { join } from "node:path";
import { isThorough } from "./thorough.ts";

/** Where tests keep what people look at. */
export const ARTIFACTS = join(import.meta.dirname, "../../../artifacts");

/** What is used of a page in a driven browser. */
interface PicturedPage {
  screenshot(options: { path: string }): Promise<unknown>;
}

/**
 * Keeps what a page looks like, for people, as a PNG below `artifacts`. Only `npm run test:all` does, since a picture takes
 * as long as what is tested on it.
 *
 * @param path From `artifacts`, without an extension: `backup/overview-1280`.
 */
export async function keepPicture(
  page: PicturedPage,
  path: string,
): Promise<void> {
  if (isThorough)
    await page.screenshot({ path: join(ARTIFACTS, `${path}.png`) });
}
