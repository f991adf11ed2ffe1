{{- define "currawong.australianRegions" -}}
ap-southeast-2 ap-southeast-4 australiaeast australiasoutheast australia-southeast1 australia-southeast2
{{- end -}}

{{/* Fails unless everything that is configured lies in one Australian region. */}}
{{- define "currawong.requireAustralia" -}}
{{- $allowed := splitList " " (include "currawong.australianRegions" .) -}}
{{- $region := .Values.region -}}
{{- if not (has $region $allowed) -}}
{{- fail (printf "\n\nregion=%s is not in Australia: recordings may be kept in Australian regions alone. Set region to one of %s." (quote $region) (join ", " $allowed)) -}}
{{- end -}}
{{- $storeRegion := .Values.store.region | default $region -}}
{{- if ne $storeRegion $region -}}
{{- fail (printf "\n\nstore.region=%s is not the region of the cluster (%s): recordings must stay where they are worked on. Name a bucket of %s, and leave store.region empty." (quote $storeRegion) $region $region) -}}
{{- end -}}
{{- $host := regexReplaceAll "^[a-z]+://([^/:]+).*$" .Values.store.endpoint "${1}" -}}
{{- if hasSuffix ".amazonaws.com" $host -}}
{{- if not (has $region (splitList "." $host)) -}}
{{- fail (printf "\n\nstore.endpoint=%s is not in %s: recordings must stay there. Set store.endpoint to https://s3.%s.amazonaws.com." (quote .Values.store.endpoint) $region $region) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Fails when the cluster has nodes and none of them is in the region: no pod could be scheduled. Only at install and upgrade;
`helm template` sees no cluster. A pool of nodes that is at zero is no reason to fail.
*/}}
{{- define "currawong.requireNodes" -}}
{{- $label := "topology.kubernetes.io/region" -}}
{{- $nodes := (lookup "v1" "Node" "" "").items -}}
{{- if and .Values.requireRegionNodes $nodes -}}
{{- $regions := dict -}}
{{- range $nodes }}{{ $_ := set $regions (dig "metadata" "labels" $label "" .) "" }}{{ end -}}
{{- if not (hasKey $regions .Values.region) -}}
{{- $elsewhere := keys (omit $regions "") | sortAlpha -}}
{{- if $elsewhere -}}
{{- fail (printf "\n\nThe nodes of this cluster are in %s, and region is %s: install into a cluster of %s, or set region if recordings may be kept there." (join ", " $elsewhere) .Values.region .Values.region) -}}
{{- end -}}
{{- fail (printf "\n\nNo node of this cluster carries the label %s=%s, so no pod could be scheduled. If its machines are in that region, label them:\n\n    kubectl label node --all %s=%s" $label .Values.region $label .Values.region) -}}
{{- end -}}
{{- end -}}
{{- end -}}
