import { when } from "./finding.ts";
import type { Circumstances } from "./finding.ts";
import type { Seen, Finding } from "../report.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A device that was not seen for so long is hardly missed. */
const UNUSED_DAYS = 14;

export function daemonFaults(
  { daemon, stalls }: Seen,
  { configFault = null, isSilent = false }: Circumstances,
): Finding[] {
  return [
    ...when(
      isSilent,
      "high",
      "DAEMON_SILENT",
      "A daemon runs on this home and does not answer.",
      "Look at its log; if it says nothing, end it and start it again.",
    ),
    ...when(
      daemon === null && !isSilent,
      "low",
      "DAEMON_STOPPED",
      "No daemon runs on this home.",
      "Start it with `gantry serve`.",
    ),
    ...when(
      configFault !== null,
      "high",
      "CONFIG_INVALID",
      configFault ?? "",
      "Correct it; no daemon starts before.",
    ),
    ...when(
      stalls.length > 0,
      "low",
      "EVENT_LOOP_STALLED",
      `The daemon stood still ${times(stalls.length)}, the last time for ${stalls[0]?.ms} ms after: ${stalls[0]?.after}.`,
      "If it happens again, leave out the plugin that is named, and tell its author.",
    ),
  ];
}

export function networkFaults({
  listening,
  tls,
  certificateEndsAt,
  at,
}: Seen): Finding[] {
  const isWide = listening.some(({ reach }) => reach === "the network");
  const left = certificateEndsAt
    ? Date.parse(certificateEndsAt) - Date.parse(at)
    : Infinity;
  const days = Math.floor(left / DAY_MS);
  return [
    ...when(
      isWide && tls === "none",
      "high",
      "NETWORK_PLAIN",
      "It listens on the network without encryption, so anyone on the way can read and replay a session.",
      "Start it with --https, or without --host and --insecure.",
    ),
    ...when(
      isWide && tls !== "none",
      "medium",
      "NETWORK_WIDE",
      "It listens on the network, so every machine there can knock at its door.",
      "Leave out --host if only this machine is to use it.",
    ),
    ...when(
      left <= 0,
      "high",
      "CERTIFICATE_ENDED",
      "Its certificate has ended, so browsers refuse it.",
      "Put a new one in its place, or remove certificate.json from the home, and start again.",
    ),
    ...when(
      left > 0 && days < 14,
      "medium",
      "CERTIFICATE_ENDS",
      `Its certificate ends in ${days} days.`,
      "Put a new one in its place and start again.",
    ),
  ];
}

export function accessFaults({ mode, devices, at }: Seen): Finding[] {
  const unused = (devices ?? []).filter(
    ({ lastSeenAt }) =>
      Date.parse(at) - Date.parse(lastSeenAt) > UNUSED_DAYS * DAY_MS,
  );
  return [
    ...when(
      mode === "loopback",
      "medium",
      "MODE_LOOPBACK",
      "Every program and every user of this machine gets in without pairing.",
      "Choose that all browsers pair, in the settings under Devices.",
    ),
    ...when(
      unused.length > 0,
      "low",
      "DEVICES_UNUSED",
      `Not seen for ${UNUSED_DAYS} days: ${list(unused.map(({ device }) => device))}.`,
      "Revoke what you no longer use, in the settings under Devices.",
    ),
  ];
}

const times = (count: number) => (count === 1 ? "once" : `${count} times`);
const list = (items: readonly string[]) => items.join(", ");
