/** Host names of cloud metadata services. */
const METADATA_NAMES: readonly string[] = [
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.goog",
  "metadata.google.internal",
  "metadata.tencentyun.com",
];

/** Whether a host name is that of a cloud metadata service. */
export function isMetadataName(host: string): boolean {
  return METADATA_NAMES.includes(host.toLowerCase().replace(/\.$/, ""));
}
