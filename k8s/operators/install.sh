#!/bin/sh
# Installs the operators that Currawong's cluster needs, in the versions that this repository's manifests are checked
# against. Repeatable: a second run changes nothing, a raised version upgrades.
#   k8s/operators/install.sh sydney|melbourne AWS_ACCOUNT_ID
# Needs kubectl and helm 4, and a KUBECONFIG of the cluster's administrator.
set -eu
place=${1:-} account=${2:-}
case $place in
sydney | melbourne) ;;
*) echo "Say which region: k8s/operators/install.sh sydney|melbourne AWS_ACCOUNT_ID" >&2; exit 2 ;;
esac
case $account in
'' | *[!0-9]*) echo "Give the number of the AWS account after the region." >&2; exit 2 ;;
esac
role() { echo "arn:aws:iam::$account:role/currawong-$1-$place"; }
# chart NAMESPACE RELEASE CHART VERSION [further words for helm]
chart() {
  namespace=$1 release=$2 chart=$3 version=$4
  shift 4
  echo "$release $version"
  helm upgrade --install "$release" "$chart" --version "$version" --namespace "$namespace" --create-namespace \
    --wait --timeout 10m "$@" >/dev/null
}

# The custom resources of Prometheus first: the other charts make monitors.
chart monitoring prometheus kube-prometheus-stack 88.5.3 --repo https://prometheus-community.github.io/helm-charts \
  --values "$(dirname "$0")/prometheus.yaml"

chart cert-manager cert-manager oci://quay.io/jetstack/charts/cert-manager v1.21.2 \
  --set crds.enabled=true --set crds.keep=true --set global.leaderElection.namespace=cert-manager \
  --set-string "serviceAccount.annotations.eks\.amazonaws\.com/role-arn=$(role cert-manager)"

chart external-secrets external-secrets external-secrets 1.3.1 --repo https://charts.external-secrets.io \
  --set-string "serviceAccount.annotations.eks\.amazonaws\.com/role-arn=$(role external-secrets)"

chart keda keda keda 2.20.2 --repo https://kedacore.github.io/charts

chart cnpg-system cloudnative-pg cloudnative-pg 0.29.0 --repo https://cloudnative-pg.github.io/charts
chart cnpg-system plugin-barman-cloud plugin-barman-cloud 0.7.0 --repo https://cloudnative-pg.github.io/charts

# Brings the custom resources of the Gateway API 1.5.1 with it.
chart envoy-gateway-system envoy-gateway oci://docker.io/envoyproxy/gateway-helm v1.8.3
