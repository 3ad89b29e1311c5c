import { createFolder, startDaemon } from "../measure/daemon.ts";
import type { Daemon } from "../measure/daemon.ts";
import { launchBrowser } from "../measure/chromium.ts";
import { loadHomePage } from "../measure/home-page.ts";
import type { PageLoad } from "../measure/traffic.ts";
import { send } from "../measure/http.ts";
import { kilobytes, under } from "../measure/row.ts";
import { median } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

/** What the bodies of these addresses weigh with gzip, which all browsers take. */
async function weigh(
  { base, url, session }: Daemon,
  urls: readonly string[],
): Promise<number> {
  let sum = 0;
  for (const one of urls) {
    const { pathname, search } = new URL(one);
    const headers = {
      ...session,
      host: new URL(url).host,
      "accept-encoding": "gzip",
    };
    sum += (await send(base + pathname + search, { headers })).body.length;
  }
  return sum;
}

/** The home page in a real browser: what it asks for, at first and when it is opened again. */
export const homePage: Bench = {
  name: "page",
  title: "The home page in Chromium",
  needsBrowser: true,
  async run({ rounds, signal, say }) {
    await using folder = await createFolder();
    await using daemon = await startDaemon(folder.path, signal);
    await using browser = await launchBrowser(signal);
    const cold: PageLoad[] = [];
    const warm: PageLoad[] = [];
    const gzip: number[] = [];
    for (let round = 0; round < rounds; round++) {
      say(`round ${round + 1} of ${rounds}`);
      const page = await loadHomePage(browser, daemon);
      cold.push(page.cold);
      warm.push(await page.loadAgain());
      gzip.push(await weigh(daemon, page.cold.urls));
      await page.close();
    }
    const of = (
      loads: PageLoad[],
      key: "requests" | "bytes" | "bytesToFirstPaint",
    ) => median(loads.map((one) => one[key]));
    return [
      under("Home page, with gzip", median(gzip), 350_000, kilobytes),
      under(
        "Home page, as Chromium took it",
        of(cold, "bytes"),
        350_000,
        kilobytes,
      ),
      under(
        "… up to the first paint",
        of(cold, "bytesToFirstPaint"),
        150_000,
        kilobytes,
      ),
      under("… requests", of(cold, "requests"), 30, (value) => String(value)),
      under("… opened again", of(warm, "bytes"), 10_000, kilobytes),
    ];
  },
};
