import { networkInterfaces } from "node:os";
import { toAddressKind } from "@gantry/plugin";
import type { ConnectAddress } from "@gantry/plugin";

/** What is refused besides metadata. */
export interface AddressRules {
  /** Allows addresses of private networks and of this machine. */
  allowPrivate: boolean;
  /** Refuses this machine itself. */
  refuseHere?: boolean;
}

/** Why an address must not be called, `undefined` if it may. */
export function refusalOf(
  address: string,
  { allowPrivate, refuseHere = false }: AddressRules,
): string | undefined {
  const kind = toAddressKind(address);
  if (kind === undefined) return "it has no address";
  if (kind === "metadata") return "its address is link-local or for metadata";
  if (refuseHere && kindOf(address) === "loopback")
    return "it is the daemon itself";
  if (!allowPrivate && (kind === "loopback" || kind === "private"))
    return "its address is private";
  return undefined;
}

/**
 * Where an address that is not refused leads. All addresses of this machine are `loopback`, including those in its
 * networks.
 */
export function kindOf(address: string): ConnectAddress["kind"] {
  const own = Object.values(networkInterfaces())
    .flat()
    .flatMap((each) => each?.address ?? []);
  const kind = toAddressKind(address, own);
  return kind === "loopback" || kind === "public" ? kind : "private";
}
