{{/* Short enough that "-migrate-1000" still fits a label. */}}
{{- define "currawong.fullname" -}}
{{- $name := .Chart.Name -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- default $full .Values.fullnameOverride | trunc 48 | trimSuffix "-" -}}
{{- end -}}

{{/*
Of everything in the release: what default deny and the pod monitor go by. The name is always the same, because rules,
dashboards and the Secrets of an evaluation go by it.
*/}}
{{- define "currawong.releaseLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/*
The pods of one component, for ever: selectors and volume claims cannot be changed. Nothing with a version in it, or each
upgrade would start Postgres, NATS and the store of an evaluation anew. Takes a list: the root, the component.
*/}}
{{- define "currawong.podLabels" -}}
{{ include "currawong.releaseLabels" (index . 0) }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* For the metadata of objects. Takes a list: the root, the component. */}}
{{- define "currawong.labels" -}}
{{- $ := index . 0 -}}
{{ include "currawong.podLabels" . }}
app.kubernetes.io/part-of: currawong
app.kubernetes.io/version: {{ $.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $.Chart.Name $.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Takes a list: the root, the name of the image without "currawong-". */}}
{{- define "currawong.image" -}}
{{- $ := index . 0 -}}
{{- with $.Values.image.registry }}{{ . | trimSuffix "/" }}/{{ end }}currawong-{{ index . 1 }}:{{ $.Values.image.tag | default $.Chart.AppVersion }}
{{- end -}}

{{/* The name of a Secret that services need: as given, or the one that evaluation makes. Takes a list: the root, databases|nats|store. */}}
{{- define "currawong.secretName" -}}
{{- $ := index . 0 -}}
{{- get $.Values.secrets (index . 1) | default (printf "%s-%s" (include "currawong.fullname" $) (index . 1)) -}}
{{- end -}}

{{/*
The name of a Secret that a feature needs: as given, or the one that External Secrets makes; empty where the feature is off.
Takes a list: the root, payments|mail|signOn.
*/}}
{{- define "currawong.featureSecret" -}}
{{- $ := index . 0 -}}
{{- $secret := index . 1 -}}
{{- $external := $.Values.externalSecrets -}}
{{- $made := ternary (printf "%s-%s" (include "currawong.fullname" $) (kebabcase $secret)) "" (and $external.enabled (ne (get $external.remoteKeys $secret) "")) -}}
{{- get $.Values.secrets $secret | default $made -}}
{{- end -}}
