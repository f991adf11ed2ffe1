/** A cluster that can be tested on, with everything that the tests need to do so. */
export interface Prepared {
  /** Whether it is somebody's, named by KUBECONFIG, and not the one of this machine. */
  readonly isGiven: boolean;
  readonly kubeconfig: string;
  readonly kubectl: string;
  readonly helm: string;
  /** The nodes' label topology.kubernetes.io/region. */
  readonly region: string;
  /** Whether KEDA runs there, which scales workers. */
  readonly hasKeda: boolean;
  /** Set where the cluster was brought up for these tests: the command that takes it down. */
  readonly down?: readonly string[];
  /** Values that say where this cluster finds its images. */
  readonly imageValues: Readonly<Record<string, unknown>>;
  /** Of the admin image, in full: the programs of the tests run in it, too. */
  readonly adminImage: string;
}

/** The variable in which the tests find it. */
export const preparedVariable = 'CURRAWONG_PREPARED_CLUSTER';
