import { useEvents, useToast } from "@gantry/ui-kit";
import { useRouter } from "vue-router";
import type { RecordChange } from "../../src/contract.ts";

/** Shows a toast when a page starts a download, which the picture does not show. */
export function useDownloadNotice(): void {
  const toast = useToast();
  const router = useRouter();
  useEvents(["browser.downloads-changed"], ({ data }) => {
    if ((data as RecordChange).change !== "added") return;
    toast.show({
      id: "browser-download",
      title: "Download started",
      icon: "i-lucide-download",
      actions: [
        {
          label: "Show downloads",
          run: () => void router.push("/browser/downloads"),
        },
      ],
    });
  });
}
