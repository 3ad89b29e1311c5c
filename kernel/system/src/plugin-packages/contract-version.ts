import { CONTRACT_VERSION } from "@gantry/plugin";

/**
 * Why a plugin whose manifest names this version of the contract cannot run here; `undefined` if it can. A plugin names `1`,
 * or a text with the minor version that it needs, such as `"1.2"`.
 */
export function refusalOfVersion(
  api: unknown,
  current: string = CONTRACT_VERSION,
): string | undefined {
  if (api === 1) return undefined;
  const [, minor] =
    (typeof api === "string" && /^1\.(0|[1-9]\d{0,3})$/.exec(api)) || [];
  if (minor === undefined)
    return `must be 1, or a text with a minor version such as "${current}", which is that of this daemon`;
  const [, has] = current.split(".");
  return Number(minor) > Number(has)
    ? `it needs version ${api as string} of the plugin contract, and this daemon has ${current}; update Gantry`
    : undefined;
}
