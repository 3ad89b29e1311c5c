import { putRecord, type BackupBench } from "./backup-bench.ts";

export const SNIPPETS = "snippets:snippet";

/** Three snippets, an automation and two files in a snapshot; then one of each is changed, added and removed. */
export async function changeAfterSnapshot(bench: BackupBench): Promise<string> {
  const { home } = bench;
  putRecord(home, SNIPPETS, "snp_a", { title: "Same" });
  putRecord(home, SNIPPETS, "snp_b", { title: "Before" });
  putRecord(home, SNIPPETS, "snp_c", { title: "Removed later" });
  home.entries.set("snippets:snippet~newest:2026:snp_a", "{}");
  putRecord(home, "automations:automation", "aut_a", { name: "Brief" });
  home.entries.set("kernel:events:1", "{}");
  await bench.fill("agents/transcripts/same.jsonl", "same");
  await bench.fill("agents/transcripts/grows.jsonl", "one");
  const { snapshot } = await bench.backUp();
  await bench.kernel.clock.advance(1000);
  putRecord(home, SNIPPETS, "snp_b", { title: "After" });
  home.entries.delete(`${SNIPPETS}:snp_c`);
  putRecord(home, SNIPPETS, "snp_d", { title: "Added later" });
  putRecord(home, "inbox:item", "inb_a", { title: "New" });
  home.entries.set("kernel:events:2", "{}");
  await bench.fill("agents/transcripts/grows.jsonl", "one\ntwo");
  await bench.fill("agents/transcripts/new.jsonl", "new");
  return snapshot.id;
}

/** The ids and titles of the snippets in the home. */
export const titles = ({ home }: BackupBench) =>
  [...home.entries]
    .filter(([key]) => key.startsWith(`${SNIPPETS}:`))
    .map(([key, text]) => [
      key.slice(SNIPPETS.length + 1),
      (JSON.parse(text) as { data: { title: string } }).data.title,
    ])
    .sort();
